import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, newClient } from "../api.ts";
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

/** The limit of scripts that are to reach it: within it they also start, and have their page count. */
const LIMIT_SECONDS = 5;
const TIMED_OUT = `Execution timed out after ${LIMIT_SECONDS * 1000}ms`;
const LOOPED = "The code blocked the event loop for 1000 ms (an endless loop?)";

const HANG = "await new Promise(() => {});";
const WAIT_UNTIL = '(await import("cloudflare:workers")).waitUntil(new Promise(() => {}));';

/** Has a page of that title count for as long as the script lives. */
const tick = (title: string) => `
  const own = await context.newPage();
  await own.goto("data:text/html,<title>${title}</title>");
  setInterval(() => own.evaluate(() => { window.ticks = (window.ticks ?? 0) + 1; }).catch(() => {}), 10);
  await own.waitForFunction(() => window.ticks > 2);`;

/** Scripts that wait for their limit, and for nothing else. */
const HANGING: [title: string, code: string][] = [
  ["ran out of time", HANG],
  ["has taken its time-out away", `for (let id = 0; id < 100; id++) clearTimeout(id); ${HANG}`],
  ["waits and ran out of time", WAIT_UNTIL + HANG],
  ["ended its isolate", '(await import("cloudflare:workers")).abortIsolate("");'],
];

const ENDING: [title: string, code: string, error: string | undefined][] = [
  ["has returned", "return 1;", undefined],
  ["has thrown", 'throw new Error("thrown");', "thrown"],
  ["looped", "for (;;);", LOOPED],
  [
    "logged too much",
    'for (let line = 0; line < 32; line += 1) console.log("x".repeat(2 ** 16));',
    "More than 1 MiB were logged",
  ],
  ["returned too much", 'return "x".repeat(5e6);', "The result has more than 4.5 MiB as JSON"],
  ["returned and waits", `${WAIT_UNTIL} return 1;`, undefined],
  ["waits and looped", `${WAIT_UNTIL} for (;;);`, LOOPED],
  [
    "ended its process",
    "process.exit(1);",
    "The Node.js process.exit(1) API was called. Canceling the request.",
  ],
];

/** How often the page of that title has counted, and how often half a second later. */
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

async function expectStill(title: string): Promise<void> {
  const [first, later] = await readTicks(title);
  expect(later).toBe(first);
}

async function expectEnd(title: string, code: string, error: string | undefined): Promise<void> {
  const { success, error: told } = await scripts.run(tick(title) + code, { seconds: LIMIT_SECONDS });
  expect(told).toBe(error);
  expect(success).toBe(error === undefined);
  await expectStill(title);
}

function untilTicking(title: string): Promise<unknown> {
  return expect
    .poll(() => scripts.result("return await Promise.all(context.pages().map((each) => each.title()))"))
    .toContain(title);
}

describe("of a script nothing goes on", () => {
  it("that is known to go on while it runs", async () => {
    const leaving = new AbortController();
    const running = scripts.run(tick("goes on") + HANG, { seconds: 60, signal: leaving.signal });
    await untilTicking("goes on");
    const [first, later] = await readTicks("goes on");
    expect(later).not.toBe(first);
    leaving.abort();
    await running;
  });

  it.concurrent.each(HANGING)("that %s", (title, code) => expectEnd(title, code, TIMED_OUT));

  it.each(ENDING)("that %s", expectEnd);

  it("whose caller has left", async () => {
    const leaving = new AbortController();
    const running = scripts.run(tick("left") + HANG, { seconds: 60, signal: leaving.signal });
    await untilTicking("left");
    leaving.abort();
    await running;
    await expectStill("left");
  });
});
