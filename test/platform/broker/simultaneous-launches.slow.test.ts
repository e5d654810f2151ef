import { expect, it } from "vitest";
import { newClient, operator } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";

const browsers = useFakeBrowsers();

/** Two to four seconds on the platform. */
const LAUNCH_MS = 3000;

it("nine launches are under way at once, and neither closing nor listing waits for them", async () => {
  const client = await newClient();
  const { session_id } = await client.createSession();
  const [first = ""] = browsers.launched;
  const launched = Promise.withResolvers<void>();
  browsers.launchGate = launched.promise;
  const creating = Array.from({ length: 9 }, () => client.post("/browsers"));
  await expect.poll(() => browsers.launching).toBe(9);
  expect((await client.delete(`/browsers/${session_id}`)).status).toBe(204);
  await expect.poll(() => browsers.living.has(first)).toBe(false);
  expect((await operator.get("/admin/browsers")).status).toBe(200);
  expect([browsers.launching, browsers.living.size]).toEqual([9, 0]);
  setTimeout(launched.resolve, LAUNCH_MS);
  const statuses = (await Promise.all(creating)).map(({ status }) => status);
  expect(statuses).toEqual(Array(9).fill(200));
  expect(browsers.living.size).toBe(9);
});
