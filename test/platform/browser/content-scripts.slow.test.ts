import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { BrowserExtension } from "../../../src/platform/browser/extensions/browser-extension.ts";
import {
  type ClientPage,
  ExtensionBrowser,
  newExtension,
  newLoadedExtensions,
  newStorage,
  type SitePage,
} from "./extension-browser.ts";

/** Appends a word to the document's trace. */
const trace = (word: string) => `document.trace = (document.trace ?? []).concat(${word});`;

/** Does the same from an isolated world, which shares only the document with the page. */
const traceShared = (word: string) =>
  `document.dispatchEvent(new CustomEvent("trace", { detail: ${word} }));`;

const RECORD_TRACE = `document.addEventListener("trace", ({ detail }) => {
  document.trace = (document.trace ?? []).concat(detail);
});`;

/** Counts its runs in the document, where every world can read it. */
const count = (name: string) => `{
  const { dataset } = document.documentElement;
  dataset.${name} = Number(dataset.${name} ?? 0) + 1;
}`;

const readCount = (name: string) => `Number(document.documentElement.dataset.${name} ?? 0)`;

/** Long, because the machine may be busy. */

const SITE: Readonly<Record<string, SitePage>> = {
  "http://site.test/": { body: `<!doctype html><title>Site</title><p id="text">text</p>` },
  "http://site.test/next": { body: "<!doctype html><title>Next</title>" },
  "http://site.test/excluded": { body: "<!doctype html><title>Excluded</title>" },
  "http://site.test/order": {
    body: `<!doctype html><script>
      document.seenOfMain = window.fromMain ?? null;
      ${trace(`"page"`)}
      addEventListener("DOMContentLoaded", () => { ${trace(`"page's DOMContentLoaded"`)} });
    </script><p>text</p>`,
  },
  "http://site.test/policy": {
    policy:
      "default-src 'none'; style-src 'none'; script-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    body: `<!doctype html><p id="text">text</p>`,
  },
  "http://site.test/styled": {
    body: `<!doctype html><p id="text">text</p><script>
      document.colorAtFirst = getComputedStyle(document.getElementById("text")).color;
      document.adoptedStyleSheets = [];
    </script>`,
  },
  "http://site.test/frames": {
    body: `<!doctype html><title>Frames</title>
      <iframe src="http://site.test/next"></iframe>
      <iframe src="http://other.test/frame"></iframe>
      <iframe src="about:blank"></iframe>
      <iframe srcdoc="<p>text</p>"></iframe>
      <iframe src="data:text/html,<p>text</p>"></iframe>`,
  },
  "http://other.test/frame": {
    body: `<!doctype html><script>
      addEventListener("load", () => parent.postMessage(document.documentElement.dataset.all ?? "none", "*"));
    </script>`,
  },
  "http://site.test/foreign": {
    body: `<!doctype html><script>
      document.answers = [];
      addEventListener("message", ({ data }) => document.answers.push(data));
    </script><iframe src="http://other.test/frame"></iframe>`,
  },
  "http://site.test/busy": { body: "<!doctype html><script>for (;;) {}</script>" },
};

const COLOR = `getComputedStyle(document.getElementById("text")).color`;
const STYLED_COLOR = "rgb(1, 2, 3)";

const isolatedWorld = newExtension("a", [
  {
    js: [
      `${count("top")} var worldVariable = 1; const worldConstant = 2; function worldFunction() { return 3; }`,
      `"use strict"; document.documentElement.dataset.shared =
        [worldVariable, worldConstant, worldFunction(), globalThis.worldVariable, typeof pageVariable].join();`,
    ],
    runAt: "document_start",
    excludeMatches: ["*://*/excluded"],
  },
  { js: [count("all")], css: ["#text { color: rgb(1, 2, 3) }"], runAt: "document_start", allFrames: true },
  {
    js: [count("blank")],
    runAt: "document_start",
    allFrames: true,
    matchAboutBlank: true,
    includeGlobs: ["*site.test/fr?mes"],
  },
  { js: [`document.documentElement.dataset.later = globalThis.worldVariable;`], runAt: "document_end" },
]);

const mainWorld = newExtension("b", [
  {
    js: [
      `"use strict"; var hiddenVariable = 1; window.fromMain = [typeof chrome?.runtime, document.readyState].join();`,
      count("main"),
    ],
    world: "MAIN",
    runAt: "document_start",
    excludeMatches: ["*://*/excluded"],
  },
]);

/** Scripts for every run_at, out of order. */
const timed = newExtension("c", [
  { js: [traceShared(`"idle " + document.readyState`)], runAt: "document_idle" },
  { js: [traceShared(`"end " + document.readyState`)], runAt: "document_end" },
  { js: [traceShared(`"start " + document.readyState`)], runAt: "document_start" },
  { js: [traceShared(`"second end"`)], runAt: "document_end" },
]);

const faulty = newExtension("d", [
  { js: [`throw new Error("a script's own")`, count("afterThrow")] },
  { js: ["const twice = 1;", "const twice = 2;", "}", count("afterUnreadable")] },
  { js: [`throw new Error("a script's own")`, count("afterThrowInMain")], world: "MAIN" },
  { js: ["}"], world: "MAIN" },
  { js: [count("afterUnreadableInMain")], world: "MAIN" },
]);

const ALL = [isolatedWorld, mainWorld, timed, faulty];

describe("content scripts in a real Chromium", () => {
  let browser: ExtensionBrowser;
  let openedEarly: ClientPage;

  beforeAll(async () => {
    browser = await ExtensionBrowser.launch(SITE);
    openedEarly = await browser.openPage("http://site.test/frames");
    await browser.connect({ list: ALL, storage: newStorage() });
  });
  afterAll(() => browser.close());
  afterEach(() => vi.restoreAllMocks());

  it("run once in an already open page and its frames", async () => {
    await expect.poll(() => openedEarly.evaluate(readCount("later"))).toBe(1);
    expect(await openedEarly.evaluate(`[${readCount("top")}, ${readCount("main")}]`)).toEqual([1, 1]);
    await expect
      .poll(() => openedEarly.evaluate(`frames[0].eval(${JSON.stringify(readCount("all"))})`))
      .toBe(1);
  });

  it("run in an isolated world that the page cannot see", async () => {
    const page = await browser.openPage();
    await page.session.send("Page.addScriptToEvaluateOnNewDocument", { source: "window.pageVariable = 1" });
    await page.visit("http://site.test/");
    expect(await page.evaluate("document.documentElement.dataset.shared")).toBe("1,2,3,1,undefined");
    expect(await page.evaluate("[typeof pageVariable, typeof worldVariable, typeof worldFunction]")).toEqual([
      "number",
      "undefined",
      "undefined",
    ]);
    expect(await page.evaluate("typeof chrome?.runtime")).toBe("undefined");
    const names = `Object.getOwnPropertyNames(globalThis).filter((name) => /berth|browser$/i.test(name))`;
    expect(await page.evaluate(names)).toEqual([]);
  });

  it("of world MAIN run in the page's world, before its first script and without extension APIs", async () => {
    const page = await browser.openPage("http://site.test/order");
    expect(await page.evaluate("document.seenOfMain")).toBe("undefined,loading");
    expect(await page.evaluate("typeof hiddenVariable")).toBe("undefined");
  });

  it("run at their run_at, in the manifest's order", async () => {
    const page = await browser.openPage();
    await page.session.send("Page.addScriptToEvaluateOnNewDocument", { source: RECORD_TRACE });
    await page.visit("http://site.test/order");
    await expect.poll(() => page.evaluate("document.trace.length")).toBe(6);
    expect(await page.evaluate("document.trace")).toEqual([
      "start loading",
      "page",
      "end interactive",
      "second end",
      "page's DOMContentLoaded",
      expect.stringMatching(/^idle (interactive|complete)$/),
    ]);
  });

  it("run in every document of a page, unless a pattern excludes it", async () => {
    const page = await browser.openPage("http://site.test/");
    const counts = `[${["top", "all", "main"].map(readCount).join()}]`;
    expect(await page.evaluate(counts)).toEqual([1, 1, 1]);
    await page.visit("http://site.test/next");
    expect(await page.evaluate(counts)).toEqual([1, 1, 1]);
    await page.visit("http://site.test/excluded");
    expect(await page.evaluate(counts)).toEqual([0, 1, 0]);
    await page.visit("data:text/html,http://site.test/");
    expect(await page.evaluate(counts)).toEqual([0, 0, 0]);
  });

  it("respect all_frames and match_about_blank", async () => {
    const page = await browser.openPage("http://site.test/frames");
    const inFrames = (name: string) =>
      page.evaluate(
        `[self, frames[0], frames[2], frames[3]].map((view) => view.eval(${JSON.stringify(readCount(name))}))`,
      );
    expect(await inFrames("top")).toEqual([1, 0, 0, 0]);
    expect(await inFrames("all")).toEqual([1, 1, 0, 0]);
    // Frames without their own address take their page's.
    expect(await inFrames("blank")).toEqual([1, 0, 1, 1]);
    await page.evaluate(`new Promise((resolve) => {
      frames[2].frameElement.onload = resolve;
      frames[2].location = "/next";
    })`);
    expect(await inFrames("all")).toEqual([1, 1, 1, 0]);
  });

  it("run in a cross-site frame before it has loaded", async () => {
    const page = await browser.openPage("http://site.test/foreign");
    await expect.poll(() => page.evaluate("document.answers")).toEqual(["1"]);
  });

  it("run in a popup, and in a blank popup with its opener's address", async () => {
    const page = await browser.openPage("http://site.test/frames");
    await page.evaluate(`self.popups = [open("http://site.test/next"), open("about:blank")]; 0`);
    const inPopup = (index: number, name: string) => () =>
      page.evaluate(`popups[${index}].eval(${JSON.stringify(readCount(name))})`);
    await expect.poll(inPopup(0, "top")).toBe(1);
    await expect.poll(inPopup(0, "main")).toBe(1);
    await expect.poll(inPopup(1, "blank")).toBe(1);
    expect(await inPopup(1, "all")()).toBe(0);
  });

  it("run in a frame whose window the page used before its document loaded", async () => {
    const page = await browser.openPage("http://site.test/");
    await page.evaluate(`new Promise((resolve) => {
      const frame = document.createElement("iframe");
      document.body.append(frame);
      frame.contentWindow.touched = true;
      frame.onload = resolve;
      frame.src = "/next";
    })`);
    await expect.poll(() => page.evaluate(`frames[0].eval(${JSON.stringify(readCount("all"))})`)).toBe(1);
  });

  it("run in pages of a context created by a client", async () => {
    const { browserContextId } = await browser.client.send("Target.createBrowserContext");
    const page = await browser.openPage("http://site.test/", browserContextId);
    expect(await page.evaluate(readCount("top"))).toBe(1);
  });

  it("run and apply styles despite the page's content security policy", async () => {
    const page = await browser.openPage("http://site.test/policy");
    expect(await page.evaluate(`[${["top", "main"].map(readCount).join()}]`)).toEqual([1, 1]);
    expect(await page.evaluate("document.documentElement.dataset.shared")).toBe("1,2,3,1,undefined");
    expect(await page.evaluate(COLOR)).toBe(STYLED_COLOR);
  });

  it("apply styles before the page's first script, and again when it removes them", async () => {
    const page = await browser.openPage("http://site.test/styled");
    expect(await page.evaluate("document.colorAtFirst")).toBe(STYLED_COLOR);
    await expect.poll(() => page.evaluate(COLOR)).toBe(STYLED_COLOR);
  });

  it("that fail do not stop others or report errors to the page", async () => {
    const page = await browser.openPage();
    const source = `document.errors = []; onerror = (message) => void document.errors.push(message);`;
    await page.session.send("Page.addScriptToEvaluateOnNewDocument", { source });
    await page.visit("http://site.test/");
    const names = ["afterThrow", "afterUnreadable", "afterThrowInMain", "afterUnreadableInMain"];
    await expect.poll(() => page.evaluate(`[${names.map(readCount).join()}]`)).toEqual([1, 1, 1, 1]);
    // As in Chrome, errors in the page's own world are the page's.
    expect(await page.evaluate("document.errors")).toEqual(["Uncaught Error: a script's own"]);
  });

  it("do not run again after a reconnect", async () => {
    const page = await browser.openPage("http://site.test/");
    await expect.poll(() => page.evaluate(readCount("later"))).toBe(1);
    const again = await browser.connect({ list: ALL, storage: newStorage() });
    expect(await page.evaluate(`[${["top", "all", "main"].map(readCount).join()}]`)).toEqual([1, 1, 1]);
    await page.visit("http://site.test/next");
    expect(await page.evaluate(`[${["top", "all", "main"].map(readCount).join()}]`)).toEqual([1, 1, 1]);
    again.disconnect();
  });

  it("do not wait for busy or closed pages, and log nothing", async () => {
    const logged = vi.spyOn(console, "error");
    const busy = await browser.openPage();
    await busy.session.send("Page.navigate", { url: "http://site.test/busy" });
    const page = await browser.openPage("http://site.test/");
    expect(await page.evaluate(readCount("top"))).toBe(1);
    const opened = Array.from({ length: 5 }, async () => {
      const { targetId } = await browser.client.send("Target.createTarget", { url: "http://site.test/" });
      await browser.client.send("Target.closeTarget", { targetId });
    });
    await Promise.all(opened);
    await browser.client.send("Browser.getVersion");
    // Sessions of other files log meanwhile.
    expect(logged).not.toHaveBeenCalledWith(expect.stringMatching(/extension/));
  });
});

describe("content scripts with stealth", () => {
  it("run in pages and frames", async () => {
    const browser = await ExtensionBrowser.launch(SITE);
    await browser.connect({ list: ALL, storage: newStorage() }, true);
    const page = await browser.openPage("http://site.test/foreign");
    await expect.poll(() => page.evaluate("document.answers")).toEqual(["1"]);
    expect(await page.evaluate(`[${readCount("top")}, ${readCount("main")}, navigator.webdriver]`)).toEqual([
      1,
      1,
      false,
    ]);
    await browser.close();
  });
});

describe("extensions that the browser fails to load", () => {
  it("are run once by Berth", async () => {
    const loaded = newLoadedExtensions();
    const browser = await ExtensionBrowser.launch(SITE);
    await browser.connect({ list: ALL, storage: newStorage(), loaded });
    expect(loaded.ids).toEqual([]);
    const page = await browser.openPage("http://site.test/");
    expect(await page.evaluate(`[${["top", "all", "main"].map(readCount).join()}]`)).toEqual([1, 1, 1]);
    await browser.close();
  });
});

describe("an extension that Chrome would reject", () => {
  it("is skipped and logged, without affecting others", async () => {
    const logged = vi.spyOn(console, "error");
    const invalid: BrowserExtension = newExtension("e", [
      { matches: ["http://*foo/*"], js: [count("wrong")] },
    ]);
    const valid = newExtension("f", [{ js: [count("right")], runAt: "document_start" }]);
    const browser = await ExtensionBrowser.launch(SITE);
    await browser.connect({ list: [invalid, valid], storage: newStorage() });
    const page = await browser.openPage("http://site.test/");
    expect(await page.evaluate(`[${["wrong", "right"].map(readCount).join()}]`)).toEqual([0, 1]);
    expect(logged).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("extension_not_run"));
    await browser.close();
  });
});
