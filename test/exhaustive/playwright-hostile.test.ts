import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { useService } from "../conformance/use-service.ts";
import {
  GLOBAL_TAMPERING_SCRIPTS,
  HOSTILE_SCRIPTS,
  TIMEOUT_SECONDS,
} from "./playwright-execute/hostile-scripts.ts";
import { runWellBehaved } from "./playwright-execute/well-behaved.ts";

/** Under `npm start` all code shares one thread, which a loop blocks for up to two seconds. */
const TIMEOUT_MS = 30_000;

let id: string;

const service = await useService();
const kernel = service.kernel();

function execute(code: string, timeout_sec = 30) {
  return kernel.browsers.playwright.execute(id, { code, timeout_sec });
}

async function run(code: string): Promise<void> {
  const execution = await execute(code);
  expect(execution.success, `${execution.error}\n${execution.stderr}`).toBe(true);
}

describe("hostile Playwright code ends without blocking others", () => {
  let otherId: string;
  beforeAll(async () => {
    id = (await kernel.browsers.create({ timeout_seconds: 3600 })).session_id;
    otherId = (await kernel.browsers.create({ timeout_seconds: 3600 })).session_id;
    return async () => {
      await kernel.browsers.deleteByID(id);
      await kernel.browsers.deleteByID(otherId);
    };
  });
  // A page left in a loop would block the next script.
  afterEach(async () => {
    await run("for (const other of context.pages().slice(1)) await other.close()");
  });

  test.each(Object.entries(HOSTILE_SCRIPTS))("%s", async (_, [code, error]) => {
    const startedAt = performance.now();
    const hostile = execute(code, TIMEOUT_SECONDS);
    const beside = Promise.all([id, otherId].map((session) => runWellBehaved(kernel, session)));
    const execution = await hostile;
    const durationMs = performance.now() - startedAt;
    expect(execution.success).toBe(false);
    expect(execution.error).toMatch(error);
    expect(durationMs).toBeLessThan(TIMEOUT_SECONDS * 1000 + TIMEOUT_MS);
    for (const time of await beside) expect(time).toBeLessThan(TIMEOUT_MS);
  });

  test("endless scripts", async () => {
    const { session_id: busy } = await kernel.browsers.create();
    const run = (code: string) => kernel.browsers.playwright.execute(busy, { code, timeout_sec: 300 });
    const ended: string[] = [];
    const endless = Array.from({ length: 9 }, async () => {
      const { error } = await run(`
        await page.evaluate(() => { window.begun = (window.begun ?? 0) + 1; });
        await new Promise(() => {});`);
      ended.push("endless");
      return error;
    });
    const allStarted = await run("await page.waitForFunction(() => window.begun === 9); return true;");
    expect(allStarted.result, allStarted.error).toBe(true);
    for (const session of [busy, otherId]) await runWellBehaved(kernel, session);
    ended.push("well-behaved");
    await kernel.browsers.deleteByID(busy);
    for (const error of await Promise.all(endless)) expect(error).toMatch(/^The browser is gone: /);
    expect(ended[0]).toBe("well-behaved");
  });

  test("a looping page", async () => {
    const { session_id: looping } = await kernel.browsers.create();
    const run = (code: string) =>
      kernel.browsers.playwright.execute(looping, { code, timeout_sec: TIMEOUT_SECONDS });
    const timedOut = `Execution timed out after ${TIMEOUT_SECONDS * 1000}ms`;
    expect((await run("await page.evaluate(() => { for (;;); })")).error).toBe(timedOut);
    expect((await run("return 1")).error).toBe(
      `${timedOut}: the browser was not ready for the code; a page of it may be stuck`,
    );
    expect(await runWellBehaved(kernel, otherId)).toBeLessThan(TIMEOUT_MS);
    await kernel.browsers.deleteByID(looping);
  });

  test.each(Object.entries(GLOBAL_TAMPERING_SCRIPTS))("%s", async (_, code) => {
    for (let run = 0; run < 2; run += 1) {
      const execution = await execute(`${code} return ["result"];`);
      expect(execution).toEqual({ success: true, result: ["result"], stdout: "line\n", stderr: "" });
    }
    await runWellBehaved(kernel, id);
  });
});
