import { setTimeout } from "node:timers/promises";
import { describe, test } from "vitest";
import { statusOf, textOf } from "./machine-api.ts";
import { SharedService } from "./shared-service.ts";

const service = await SharedService.use();
const kernel = service.kernel();

const newSession = async (timeout_seconds = 600) =>
  (await kernel.browsers.create({ timeout_seconds, headless: true })).session_id;

// Both wait for real time, so they run concurrently.
describe.concurrent("idle timeout of a session whose machine is used", () => {
  test("is deferred while a request runs", async ({ expect }) => {
    const id = await newSession(10);
    const { stdout_b64 } = await kernel.browsers.process.exec(id, {
      command: "bash",
      args: ["-c", "sleep 14; echo done"],
    });
    expect(textOf(stdout_b64)).toBe("done\n");
    expect((await kernel.browsers.retrieve(id)).session_id).toBe(id);
    // A process whose output nobody reads does not keep the session alive.
    await kernel.browsers.process.spawn(id, { command: "sleep", args: ["1000"] });
    const idleSince = performance.now();
    await expect
      .poll(() => statusOf(kernel.browsers.retrieve(id)), { timeout: 45_000, interval: 500 })
      .toBe(404);
    const idleMs = performance.now() - idleSince;
    expect(idleMs).toBeGreaterThan(9_000);
    expect(idleMs).toBeLessThan(40_000);
  });

  test("is deferred while an event stream is open", async ({ expect }) => {
    const id = await newSession(10);
    const { watch_id = "" } = await kernel.browsers.fs.watch.start(id, { path: "/tmp" });
    const streamAbort = new AbortController();
    const events = await kernel.browsers.fs.watch.events(watch_id, { id }, { signal: streamAbort.signal });
    const streamEnded = Array.fromAsync(events).catch(() => undefined);
    await setTimeout(14_000);
    expect(await statusOf(kernel.browsers.retrieve(id))).toBe(200);
    streamAbort.abort();
    await streamEnded;
    await expect
      .poll(() => statusOf(kernel.browsers.retrieve(id)), { timeout: 60_000, interval: 500 })
      .toBe(404);
  });
});
