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

/** The limit of scripts that are to reach it: within it they also start, and have the page count. */
const LIMIT_SECONDS = 10;
const TIMED_OUT = `Execution timed out after ${LIMIT_SECONDS * 1000}ms`;

/** Has the page count for as long as the script lives. */
const TICK = `
  await page.goto("data:text/html,<title>Ticking</title>");
  setInterval(() => page.evaluate(() => { window.ticks = (window.ticks ?? 0) + 1; }).catch(() => {}), 10);
  await page.waitForFunction(() => window.ticks > 2);`;
const HANG = "await new Promise(() => {});";
const WAIT_UNTIL = '(await import("cloudflare:workers")).waitUntil(new Promise(() => {}));';

/** How often the page has counted, and how often half a second later. */
const READ_TICKS = `
  const first = await page.evaluate(() => window.ticks);
  await page.waitForTimeout(500);
  return [first, await page.evaluate(() => window.ticks)];`;

async function expectStill(): Promise<void> {
  const ticks = await scripts.result(READ_TICKS);
  expect(ticks).toEqual([expect.any(Number), expect.any(Number)]);
  expect(new Set(Array.isArray(ticks) ? ticks : []).size).toBe(1);
}

describe("of a script nothing goes on", () => {
  it("that is known to go on while it runs", async () => {
    const leaving = new AbortController();
    const running = scripts.run(TICK + HANG, { seconds: 60, signal: leaving.signal });
    await expect.poll(() => scripts.result("return await page.title()")).toBe("Ticking");
    const ticks = await scripts.result(READ_TICKS);
    expect(new Set(Array.isArray(ticks) ? ticks : []).size).toBe(2);
    leaving.abort();
    await running;
  });

  it.each<[string, string, string | undefined]>([
    ["has returned", "return 1;", undefined],
    ["has thrown", 'throw new Error("thrown");', "thrown"],
    ["ran out of time", HANG, TIMED_OUT],
    ["has taken its time-out away", `for (let id = 0; id < 100; id++) clearTimeout(id); ${HANG}`, TIMED_OUT],
    [
      "looped",
      "for (;;);",
      "The code ran for 1000 ms without letting anything else go on (an endless loop?)",
    ],
    [
      "logged too much",
      'for (let line = 0; line < 32; line += 1) console.log("x".repeat(2 ** 16));',
      "More than 1 MiB were logged",
    ],
    ["returned too much", 'return "x".repeat(5e6);', "The result has more than 4.5 MiB as JSON"],
    ["returned and waits", `${WAIT_UNTIL} return 1;`, undefined],
    ["waits and ran out of time", WAIT_UNTIL + HANG, TIMED_OUT],
    [
      "waits and looped",
      `${WAIT_UNTIL} for (;;);`,
      "The code ran for 1000 ms without letting anything else go on (an endless loop?)",
    ],
    [
      "ended its process",
      "process.exit(1);",
      "The Node.js process.exit(1) API was called. Canceling the request.",
    ],
    ["ended its isolate", '(await import("cloudflare:workers")).abortIsolate("");', TIMED_OUT],
  ])("that %s", async (_, code, error) => {
    const { success, error: told } = await scripts.run(TICK + code, { seconds: LIMIT_SECONDS });
    expect(told).toBe(error);
    expect(success).toBe(error === undefined);
    await expectStill();
  });

  it("whose caller has left", async () => {
    const leaving = new AbortController();
    const running = scripts.run(TICK + HANG, { seconds: 60, signal: leaving.signal });
    await expect.poll(() => scripts.result("return await page.title()")).toBe("Ticking");
    leaving.abort();
    await running;
    await expectStill();
  });
});
