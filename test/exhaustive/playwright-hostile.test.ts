import type Kernel from "@onkernel/sdk";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Service } from "../conformance/service.ts";
import { HOSTILE_SCRIPTS, MEDDLING_SCRIPTS, TIMEOUT_SECONDS } from "./playwright-execute/hostile-scripts.ts";
import { runWellBehaved } from "./playwright-execute/well-behaved.ts";

/**
 * What is held up by something that has no end takes longer. Under `npm start`, where all share one thread, a loop holds
 * up everybody until it is ended after two seconds.
 */
const TIMEOUT_MS = 30_000;

let service: Service;
let kernel: Kernel;
let id: string;

beforeAll(async () => {
  service = await Service.start();
  kernel = service.kernel();
});
afterAll(() => service?.end());

function execute(code: string, timeout_sec = 30) {
  return kernel.browsers.playwright.execute(id, { code, timeout_sec });
}

/** Runs a script that has to succeed. */
async function run(code: string): Promise<void> {
  const execution = await execute(code);
  expect(execution.success, `${execution.error}\n${execution.stderr}`).toBe(true);
}

describe("hostile code ends, and holds nobody up:", () => {
  let otherId: string;
  beforeAll(async () => {
    id = (await kernel.browsers.create({ timeout_seconds: 3600 })).session_id;
    otherId = (await kernel.browsers.create({ timeout_seconds: 3600 })).session_id;
    return async () => {
      await kernel.browsers.deleteByID(id);
      await kernel.browsers.deleteByID(otherId);
    };
  });
  // A page that a script has made to loop stands still for everybody.
  afterEach(async () => {
    await run("for (const other of context.pages().slice(1)) await other.close()");
  });

  test.each(Object.entries(HOSTILE_SCRIPTS))("%s", async (_, [code, error]) => {
    const began = performance.now();
    const hostile = execute(code, TIMEOUT_SECONDS);
    const beside = Promise.all([id, otherId].map((session) => runWellBehaved(kernel, session)));
    const execution = await hostile;
    const took = performance.now() - began;
    expect(execution.success).toBe(false);
    expect(execution.error).toMatch(error);
    expect(took).toBeLessThan(TIMEOUT_SECONDS * 1000 + TIMEOUT_MS);
    for (const time of await beside) expect(time).toBeLessThan(TIMEOUT_MS);
  });

  test("scripts without end", async () => {
    const { session_id: full } = await kernel.browsers.create();
    const run = (code: string) => kernel.browsers.playwright.execute(full, { code, timeout_sec: 300 });
    const ended: string[] = [];
    const endless = Array.from({ length: 9 }, async () => {
      const { error } = await run(`
        await page.evaluate(() => { window.begun = (window.begun ?? 0) + 1; });
        await new Promise(() => {});`);
      ended.push("endless");
      return error;
    });
    const allBegun = await run("await page.waitForFunction(() => window.begun === 9); return true;");
    expect(allBegun.result, allBegun.error).toBe(true);
    for (const session of [full, otherId]) await runWellBehaved(kernel, session);
    ended.push("well-behaved");
    await kernel.browsers.deleteByID(full);
    for (const error of await Promise.all(endless)) expect(error).toMatch(/^The browser is gone: /);
    expect(ended[0]).toBe("well-behaved");
  });

  test("a page that loops", async () => {
    const { session_id: stuck } = await kernel.browsers.create();
    const run = (code: string) =>
      kernel.browsers.playwright.execute(stuck, { code, timeout_sec: TIMEOUT_SECONDS });
    const timedOut = `Execution timed out after ${TIMEOUT_SECONDS * 1000}ms`;
    expect((await run("await page.evaluate(() => { for (;;); })")).error).toBe(timedOut);
    expect((await run("return 1")).error).toBe(
      `${timedOut}: the browser was not ready for the code; a page of it may be stuck`,
    );
    expect(await runWellBehaved(kernel, otherId)).toBeLessThan(TIMEOUT_MS);
    await kernel.browsers.deleteByID(stuck);
  });

  test.each(Object.entries(MEDDLING_SCRIPTS))("%s", async (_, code) => {
    for (let run = 0; run < 2; run += 1) {
      const execution = await execute(`${code} return ["result"];`);
      expect(execution).toEqual({ success: true, result: ["result"], stdout: "line\n", stderr: "" });
    }
    await runWellBehaved(kernel, id);
  });
});
