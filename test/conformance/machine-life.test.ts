import { setTimeout } from "node:timers/promises";
import Kernel from "@onkernel/sdk";
import { afterAll, beforeAll, describe, test } from "vitest";
import { SharedService } from "./shared-service.ts";

let service: SharedService;
let kernel: Kernel;

beforeAll(async () => {
  service = await SharedService.use();
  kernel = service.kernel();
});
afterAll(() => service.end());

const text = (base64: string | undefined) => Buffer.from(base64 ?? "", "base64").toString();

const newSession = async (timeout_seconds = 600) =>
  (await kernel.browsers.create({ timeout_seconds, headless: true })).session_id;

async function statusOf(work: Promise<unknown>): Promise<number | undefined> {
  return work.then(
    () => 200,
    (error: unknown) => (error instanceof Kernel.APIError ? error.status : undefined),
  );
}

// Each waits for a clock, so they wait together.
describe.concurrent("a session of which only the machine is used", () => {
  test("a call holds the session's time-out back from its arrival to the end of its answer", async ({
    expect,
  }) => {
    const id = await newSession(10);
    // Longer than the time-out, in one call.
    const { stdout_b64 } = await kernel.browsers.process.exec(id, {
      command: "bash",
      args: ["-c", "sleep 14; echo done"],
    });
    expect(text(stdout_b64)).toBe("done\n");
    expect((await kernel.browsers.retrieve(id)).session_id).toBe(id);
    // A process that nobody follows is no use of the session.
    await kernel.browsers.process.spawn(id, { command: "sleep", args: ["1000"] });
    const idleSince = performance.now();
    await expect
      .poll(() => statusOf(kernel.browsers.retrieve(id)), { timeout: 45_000, interval: 500 })
      .toBe(404);
    const lived = performance.now() - idleSince;
    expect(lived).toBeGreaterThan(9_000);
    expect(lived).toBeLessThan(40_000);
  });

  test("an event stream that is followed is a use of the session", async ({ expect }) => {
    const id = await newSession(10);
    const { watch_id = "" } = await kernel.browsers.fs.watch.start(id, { path: "/tmp" });
    const following = new AbortController();
    const events = await kernel.browsers.fs.watch.events(watch_id, { id }, { signal: following.signal });
    const ended = Array.fromAsync(events).catch(() => undefined);
    await setTimeout(14_000);
    expect(await statusOf(kernel.browsers.retrieve(id))).toBe(200);
    following.abort();
    await ended;
    await expect
      .poll(() => statusOf(kernel.browsers.retrieve(id)), { timeout: 60_000, interval: 500 })
      .toBe(404);
  });
});
