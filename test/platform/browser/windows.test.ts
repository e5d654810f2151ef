import { expect, it } from "vitest";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";

const browsers = useFakeBrowsers();

it.each([
  ["Browser.getWindowForTarget"],
  ["Browser.setContentsSize", "Browser.getWindowBounds"],
  ["Emulation.updateScreen", "Emulation.getScreenInfos"],
  ["Browser.getWindowForTarget", "Emulation.setDeviceMetricsOverride"],
])("starts and resizes a session in a browser that refuses %s and %s", async (...failingMethods) => {
  const client = await newClient();
  for (const method of failingMethods) browsers.failingMethods.add(method);
  const before = browsers.commands.length;
  const { session_id: id } = await client.createSession({ viewport: { width: 1024, height: 768 } });
  const resized = await client.patch(`/browsers/${id}`, { viewport: { width: 1440, height: 900 } });
  expect(resized.status, resized.text).toBe(200);
  const sizes = browsers.commands
    .slice(before)
    .filter(({ method }) => method === "Emulation.setDeviceMetricsOverride")
    .map(({ params }) => params);
  const isEmulated = failingMethods[0]?.startsWith("Browser.") ?? false;
  const isSupported = !failingMethods.includes("Emulation.setDeviceMetricsOverride");
  if (!isEmulated) expect(sizes).toEqual([]);
  else if (isSupported) {
    expect(sizes[0]).toMatchObject({ width: 1024, height: 768 });
    expect(sizes.at(-1)).toMatchObject({ width: 1440, height: 900 });
  }
  await client.delete(`/browsers/${id}`);
});
