import Kernel from "@onkernel/sdk";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { HOSTILE_SCRIPTS, MEDDLING_SCRIPTS, TIMEOUT_SECONDS } from "./playwright-execute/hostile-scripts.ts";
import { runWellBehaved } from "./playwright-execute/well-behaved.ts";
import { decodedSize } from "./png.ts";
import { Service } from "./service.ts";
import { DOWNLOAD_CONTENT, openSite, type Site } from "./site.ts";

const VIEWPORT = { width: 1200, height: 800 };

/**
 * What is held up by something that has no end takes longer. Under `npm start`, where all share one thread, a loop holds
 * up everybody until it is ended after two seconds.
 */
const PATIENCE_MS = 30_000;

let service: Service;
let site: Site;
let kernel: Kernel;
let id: string;

beforeAll(async () => {
  [service, site] = await Promise.all([Service.start(), openSite()]);
  kernel = service.kernel();
});
afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  await service?.end();
});

function execute(code: string, timeout_sec = 30) {
  return kernel.browsers.playwright.execute(id, { code, timeout_sec });
}

/** What a script returns that has to succeed. */
async function result(code: string): Promise<unknown> {
  const execution = await execute(code);
  expect(execution.success, `${execution.error}\n${execution.stderr}`).toBe(true);
  return execution.result;
}

describe("code that runs beside a browser", () => {
  beforeEach(async () => {
    const session = await kernel.browsers.create({ viewport: VIEWPORT, timeout_seconds: 600 });
    id = session.session_id;
    return () => kernel.browsers.deleteByID(id);
  });

  test("drives it, and answers as the SDK reads it", async () => {
    const execution = await execute(`
      await page.goto("${site.origin}");
      await page.click("#count");
      await page.getByLabel("Who").fill("Ada");
      const [response] = await Promise.all([page.waitForNavigation(), page.click("#greet")]);
      console.log("status", response?.status());
      console.error("done");
      return { url: page.url(), greeting: await page.textContent("#greeting") };`);
    expect(execution).toEqual({
      success: true,
      result: { url: `${site.origin}/greet?who=Ada`, greeting: "Hello, Ada" },
      stdout: "status 200\n",
      stderr: "done\n",
    });
  });

  test("does with it what Playwright does elsewhere", async () => {
    await result(`await page.goto("${site.origin}")`);
    const picture = await result('return (await page.screenshot()).toString("base64")');
    expect(decodedSize(Buffer.from(String(picture), "base64"))).toEqual(VIEWPORT);
    expect(await result("return (await page.pdf()).subarray(0, 5).toString()")).toBe("%PDF-");
    const cookies = `await context.addCookies([{ name: "a", value: "b", url: "${site.origin}" }]); return (await context.cookies()).map(({ name }) => name)`;
    expect(await result(cookies)).toEqual(["a"]);
    const routed = `await page.route("**/popup", (route) => route.fulfill({ body: "<title>Routed</title>" })); await page.goto("${site.origin}/popup"); return page.title()`;
    expect(await result(routed)).toBe("Routed");
    const popup = `await page.goto("${site.origin}"); const [opened] = await Promise.all([page.waitForEvent("popup"), page.click("#popup")]); await opened.waitForLoadState(); return opened.title()`;
    expect(await result(popup)).toBe("Popup");
    const apart = `const other = await browser.newContext(); const added = await other.newPage(); await added.goto("${site.origin}"); const cookie = await added.evaluate(() => document.cookie); await other.close(); return [cookie, browser.contexts().length]`;
    expect(await result(apart)).toEqual(["", 1]);
    const exposed = `await page.exposeFunction("twice", (n) => n * 2); return await page.evaluate(() => window.twice(21))`;
    expect(await result(exposed)).toBe(42);
  });

  test("has the session's files: downloads, and what a page is given", async () => {
    const download = `await page.goto("${site.origin}"); const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]); return [download.suggestedFilename(), await download.failure()]`;
    expect(await result(download)).toEqual(["report.txt", null]);
    const path = "/home/kernel/Downloads/report.txt";
    expect(await (await kernel.browsers.fs.readFile(id, { path })).text()).toBe(DOWNLOAD_CONTENT);
    const given = `
      await page.setContent('<input type="file">');
      const session = await context.newCDPSession(page);
      const { root } = await session.send("DOM.getDocument");
      const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "input" });
      await session.send("DOM.setFileInputFiles", { nodeId, files: ["${path}"] });
      return await page.evaluate(() => document.querySelector("input").files[0].text());`;
    expect(await result(given)).toBe(DOWNLOAD_CONTENT);
  });

  test("leaves the browser to the next call, and to other clients", async () => {
    await result(`await page.goto("${site.origin}"); await page.click("#count")`);
    expect(await result('await page.click("#count"); return page.textContent("#count")')).toBe("2");
    await result("await browser.close()");
    await result("await context.close()");
    expect(await result('await page.goto("about:blank"); return page.url()')).toBe("about:blank");
  });

  test("fails as a result, not as an error", async () => {
    expect(await execute("const n: number = 1;\nthrow new RangeError('no ' + n);")).toEqual({
      success: false,
      error: "no 1",
      stdout: "",
      stderr: "RangeError: no 1\n    at script (script.js:2)\n",
    });
    expect(await execute("await page.goto('http://127.0.0.1:1/')")).toMatchObject({
      success: false,
      error: expect.stringContaining("net::ERR_"),
    });
    expect(await execute("const a: = 1")).toMatchObject({
      success: false,
      error: "Unexpected token (script.js:1)",
    });
    expect(await execute("return await new Promise(() => {})", TIMEOUT_SECONDS)).toMatchObject({
      success: false,
      error: `Execution timed out after ${TIMEOUT_SECONDS * 1000}ms`,
    });
  });

  test("is refused as every call is", async () => {
    await expect(execute("")).rejects.toThrow(Kernel.BadRequestError);
    await expect(execute("return 1", 301)).rejects.toThrow("timeout_sec");
    await expect(kernel.browsers.playwright.execute("nobody", { code: "return 1" })).rejects.toThrow(
      Kernel.NotFoundError,
    );
  });

  test("writes nothing into the service's own output", async () => {
    const mark = service.log.mark();
    await execute(`
      const line = JSON.stringify({ event: "forged", marker: "of a script" });
      console.log(line);
      globalThis.console.error(line);
      process.stdout.write(line + "\\n");
      (await import("node:console")).default.warn(line);`);
    // Ends Workers with scripts that nobody asks for again.
    for (let n = 0; n < 9; n += 1) await execute(`return ${n}`);
    await execute("throw new Error()");
    await service.log.untilEvent(
      { event: "request", route: "/browsers/:id/playwright/execute" },
      { since: mark, withinMs: PATIENCE_MS },
    );
    expect(service.log.textSince(mark)).not.toContain("of a script");
    expect(service.log.textSince(mark)).not.toContain("workerd");
  });
});

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
    await result("for (const other of context.pages().slice(1)) await other.close()");
  });

  test.each(Object.entries(HOSTILE_SCRIPTS))("%s", async (_, [code, error]) => {
    const began = performance.now();
    const hostile = execute(code, TIMEOUT_SECONDS);
    const beside = Promise.all([id, otherId].map((session) => runWellBehaved(kernel, session)));
    const execution = await hostile;
    const took = performance.now() - began;
    expect(execution.success).toBe(false);
    expect(execution.error).toMatch(error);
    expect(took).toBeLessThan(TIMEOUT_SECONDS * 1000 + PATIENCE_MS);
    for (const time of await beside) expect(time).toBeLessThan(PATIENCE_MS);
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
    expect(await runWellBehaved(kernel, otherId)).toBeLessThan(PATIENCE_MS);
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
