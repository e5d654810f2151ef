import Kernel from "@onkernel/sdk";
import { beforeEach, describe, expect, test } from "vitest";
import { decodedSize } from "../conformance/png.ts";
import { SharedService } from "../conformance/shared-service.ts";
import { DOWNLOAD_CONTENT, openSite } from "../conformance/site.ts";
import { keepForFile } from "../outside/keep-for-file.ts";

const VIEWPORT = { width: 1200, height: 800 };

const TIMEOUT_SECONDS = 5;

let id: string;

const service = await SharedService.use();
const site = keepForFile(await openSite());
const kernel = service.kernel();

function execute(code: string, timeout_sec = 30) {
  return kernel.browsers.playwright.execute(id, { code, timeout_sec });
}

/** Runs code that must succeed. @returns its result. */
async function result(code: string): Promise<unknown> {
  const execution = await execute(code);
  expect(execution.success, `${execution.error}\n${execution.stderr}`).toBe(true);
  return execution.result;
}

describe("playwright execute", () => {
  beforeEach(async () => {
    const session = await kernel.browsers.create({ viewport: VIEWPORT, timeout_seconds: 600 });
    id = session.session_id;
    return () => kernel.browsers.deleteByID(id);
  });

  test("drives the browser and returns the result with output", async () => {
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

  test("supports screenshots, PDFs, cookies, routes, popups, contexts and bindings", async () => {
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

  test("stores downloads in the session's files and sets them on inputs", async () => {
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

  test("leaves the browser open for the next execution", async () => {
    await result(`await page.goto("${site.origin}"); await page.click("#count")`);
    expect(await result('await page.click("#count"); return page.textContent("#count")')).toBe("2");
    await result("await browser.close()");
    await result("await context.close()");
    expect(await result('await page.goto("about:blank"); return page.url()')).toBe("about:blank");
  });

  test("returns a failed result for an error in the code", async () => {
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

  test("rejects invalid requests", async () => {
    await expect(execute("")).rejects.toThrow(Kernel.BadRequestError);
    await expect(execute("return 1", 301)).rejects.toThrow("timeout_sec");
    await expect(kernel.browsers.playwright.execute("nobody", { code: "return 1" })).rejects.toThrow(
      Kernel.NotFoundError,
    );
  });
});
