import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, newClient } from "../../api.ts";
import { Scripts } from "./scripts.ts";

let client: Client;
let sessionId: string;
let scripts: Scripts;
beforeAll(async () => {
  client = await newClient();
  sessionId = (await client.createSession({ timeout_seconds: 3600 })).session_id;
  scripts = new Scripts(client, sessionId);
});
afterAll(async () => {
  await client.delete(`/browsers/${sessionId}`);
});

/** Leaves a script time to start and to count in its page before it is stopped. */
const LIMIT_SECONDS = 8;
const TIMED_OUT = `Execution timed out after ${LIMIT_SECONDS * 1000}ms`;
const LOOPED = "The code blocked the event loop for 1000 ms (an endless loop?)";

const HANG = "await new Promise(() => {});";
const WAIT_UNTIL = '(await import("cloudflare:workers")).waitUntil(new Promise(() => {}));';

/** Counts in a page with this title as long as the script lives. */
const tick = (title: string) => `
  const own = await context.newPage();
  await own.goto("data:text/html,<title>${title}</title>");
  setInterval(() => own.evaluate(() => { window.ticks = (window.ticks ?? 0) + 1; }).catch(() => {}), 10);
  await own.waitForFunction(() => window.ticks > 2);`;

/** Scripts that end only by their time limit. */
const HANGING: [title: string, code: string][] = [
  ["timed out", HANG],
  ["cleared its timeout", `for (let id = 0; id < 100; id++) clearTimeout(id); ${HANG}`],
  ["called waitUntil and timed out", WAIT_UNTIL + HANG],
  ["aborted its isolate", '(await import("cloudflare:workers")).abortIsolate("");'],
];

const ENDING: [title: string, code: string, error: string | undefined][] = [
  ["returned", "return 1;", undefined],
  ["threw", 'throw new Error("thrown");', "thrown"],
  ["looped", "for (;;);", LOOPED],
  [
    "logged too much",
    'for (let line = 0; line < 32; line += 1) console.log("x".repeat(2 ** 16));',
    "More than 1 MiB were logged",
  ],
  ["returned too much", 'return "x".repeat(5e6);', "The result has more than 4.5 MiB as JSON"],
  ["called waitUntil and returned", `${WAIT_UNTIL} return 1;`, undefined],
  ["called waitUntil and looped", `${WAIT_UNTIL} for (;;);`, LOOPED],
  [
    "exited its process",
    "process.exit(1);",
    "The Node.js process.exit(1) API was called. Canceling the request.",
  ],
];

/** The counter of the page with this title, now and half a second later. */
async function readTicks(title: string): Promise<unknown[]> {
  const ticks = await scripts.result(`
    const titles = await Promise.all(context.pages().map((each) => each.title()));
    const own = context.pages()[titles.indexOf(${JSON.stringify(title)})];
    const first = await own.evaluate(() => window.ticks);
    await own.waitForTimeout(500);
    return [first, await own.evaluate(() => window.ticks)];`);
  expect(ticks).toEqual([expect.any(Number), expect.any(Number)]);
  return Array.isArray(ticks) ? ticks : [];
}

async function expectStopped(title: string): Promise<void> {
  const [first, later] = await readTicks(title);
  expect(later).toBe(first);
}

async function expectStoppedAfter(title: string, code: string, error: string | undefined): Promise<void> {
  const { success, error: reported } = await scripts.run(tick(title) + code, { seconds: LIMIT_SECONDS });
  expect(reported).toBe(error);
  expect(success).toBe(error === undefined);
  await expectStopped(title);
}

function waitForTitle(title: string): Promise<unknown> {
  return expect
    .poll(() => scripts.result("return await Promise.all(context.pages().map((each) => each.title()))"))
    .toContain(title);
}

describe("leftover work of a script", () => {
  it("continues while the script runs", async () => {
    const controller = new AbortController();
    const running = scripts.run(tick("goes on") + HANG, { seconds: 60, signal: controller.signal });
    await waitForTitle("goes on");
    const [first, later] = await readTicks("goes on");
    expect(later).not.toBe(first);
    controller.abort();
    await running;
  });

  it.concurrent.each(HANGING)("stops after it %s", (title, code) =>
    expectStoppedAfter(title, code, TIMED_OUT),
  );

  it.each(ENDING)("stops after it %s", expectStoppedAfter);

  it("is followed by a pause for others when it blocked the event loop", async () => {
    expect((await scripts.run("for (;;);")).error).toBe(LOOPED);
    const startedAt = performance.now();
    expect(await scripts.result("return 1")).toBe(1);
    expect(performance.now() - startedAt).toBeGreaterThan(3500);
    expect(await scripts.result("return 2")).toBe(2);
    expect(performance.now() - startedAt).toBeLessThan(7500);
  });

  it("stops when the client disconnects", async () => {
    const controller = new AbortController();
    const running = scripts.run(tick("left") + HANG, { seconds: 60, signal: controller.signal });
    await waitForTitle("left");
    controller.abort();
    await running;
    await expectStopped("left");
  });
});
