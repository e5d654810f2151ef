import { afterAll, beforeAll, expect, test } from "vitest";
import { DevToolsClient } from "./devtools-client.ts";
import { Service } from "./service.ts";

const RECOVERY_TIMEOUT_MS = 60_000;

let service: Service;

beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.end());

/** The process that runs the Worker. */
function runtimeProcess() {
  return service.processes().find(({ command }) => / serve .*--control-fd/.test(command));
}

test("a killed runtime restarts, and sessions keep their browsers", async () => {
  const kernel = service.kernel();
  const { session_id, cdp_ws_url } = await kernel.browsers.create({ timeout_seconds: 600 });
  const killed = runtimeProcess();
  if (killed === undefined) throw new Error("The runtime process was not found");
  process.kill(killed.pid, "SIGKILL");
  const isHealthy = () =>
    fetch(`${service.baseURL}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isHealthy, { timeout: RECOVERY_TIMEOUT_MS }).toBe(true);
  expect(runtimeProcess()?.pid).not.toBe(killed.pid);
  expect(await kernel.browsers.retrieve(session_id)).toMatchObject({ session_id });
  using client = await DevToolsClient.connect(cdp_ws_url);
  expect(await client.send("Browser.getVersion")).toMatchObject({ product: expect.any(String) });
  await kernel.browsers.deleteByID(session_id);
  await expect.poll(() => service.browsers()).toEqual([]);
});
