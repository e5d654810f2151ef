import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type DeployedApp,
  deployApp,
  followToEnd,
  invoke,
  invokeAsync,
  linesOf,
  statesOf,
  untilLine,
} from "./apps.ts";
import { Service } from "./service.ts";

/** Alarms look after what was under way within 8 seconds. The sweep, which does too, leaves it alone for two minutes. */
const TAKE_UP_MS = 45_000;

/** A service that starts twice, and what it takes up. */
const TEST_TIMEOUT_MS = 240_000;

const SOURCE = `
app.action("stay", async (context: KernelContext) => {
  const session = await kernel.browsers.create({ timeout_seconds: 600 });
  console.log("browsing");
  await new Promise(() => setInterval(() => {}, 1000));
});

app.action("echo", async (context: KernelContext, payload?: unknown) => payload);
`;

let service: Service;
let app: DeployedApp;

beforeAll(async () => {
  service = await Service.start();
  app = await deployApp(service.kernel(), SOURCE);
});
afterAll(() => service.end());

test("SIGKILL in the middle of invocations fails them with the reason, and ends their browsers", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const kernel = service.kernel();
  const finished = await invoke(kernel, app, "echo", { payload: "before" });
  const id = await invokeAsync(kernel, app, "stay", { timeout: 3600 });
  await untilLine(kernel, id, "browsing");
  const waiting = invoke(kernel, app, "stay").then(
    () => "answered",
    () => "broken off",
  );
  await expect
    .poll(async () => Array.fromAsync(kernel.invocations.list({ status: "running" })))
    .toHaveLength(2);
  await service.kill();
  expect(await waiting).toBe("broken off");
  await service.restart();

  const list = () => Array.fromAsync(kernel.invocations.list({ action_name: "stay" }));
  const failed = {
    status: "failed",
    status_reason: "The service was restarted while the action ran",
    finished_at: expect.any(String),
  };
  await expect.poll(list, { timeout: TAKE_UP_MS }).toMatchObject([failed, failed]);
  const events = await followToEnd(kernel, id);
  expect(statesOf(events)).toEqual(["queued", "running", "failed"]);
  expect(linesOf(events)).toEqual(["browsing"]);
  const sessions = () => Array.fromAsync(kernel.browsers.list());
  await expect.poll(sessions, { timeout: TAKE_UP_MS }).toEqual([]);
  expect(service.browsers()).toEqual([]);

  expect(await kernel.invocations.retrieve(finished.id)).toMatchObject({ output: '"before"' });
  expect(await invoke(kernel, app, "echo", { payload: "after" })).toMatchObject({ output: '"after"' });
});
