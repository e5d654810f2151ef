import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ClientPage, ExtensionBrowser, newExtension, newStorage } from "./extension-browser.ts";

const IMAGE = "data:image/png;base64,AAAA";

const speaker = newExtension("s", [{ js: ["var listeners = [];"], runAt: "document_start" }], {
  manifest: { manifest_version: 3, name: "Speaker", version: "1.2", description: "</script>\u2028`" },
  resources: { "icons/a b.png": IMAGE, __proto__: "never" },
});
const other = newExtension("o", [{ js: ["0"], runAt: "document_start" }]);

const SITE = { "http://site.test/": { body: "<!doctype html><title>Site</title>" } };
const NO_RECEIVER = "Could not establish connection. Receiving end does not exist.";

describe("chrome.runtime in a real Chromium", () => {
  let browser: ExtensionBrowser;
  let page: ClientPage;

  beforeAll(async () => {
    browser = await ExtensionBrowser.launch(SITE);
    await browser.connect({ list: [speaker, other], storage: newStorage() });
    page = await browser.openPage("http://site.test/");
  });
  afterAll(() => browser.close());

  const evaluate = (expression: string) => page.evaluateIn(speaker, expression);

  const withListener = (listener: string, expression: string) =>
    evaluate(`(async () => {
      const listener = ${listener};
      chrome.runtime.onMessage.addListener(listener);
      try {
        return await ${expression};
      } finally {
        chrome.runtime.onMessage.removeListener(listener);
      }
    })()`);

  it("describes the extension", async () => {
    expect(await evaluate("chrome.runtime.id")).toBe(speaker.id);
    expect(await evaluate("browser.runtime.getManifest()")).toEqual(speaker.manifest);
    expect(await evaluate(`chrome.i18n.getMessage("name")`)).toBe("");
  });

  it.each([
    ["icons/a b.png", IMAGE],
    ["/icons/a b.png", IMAGE],
    ["page.html", `chrome-extension://${speaker.id}/page.html`],
    ["/page.html", `chrome-extension://${speaker.id}/page.html`],
    ["toString", `chrome-extension://${speaker.id}/toString`],
    ["", `chrome-extension://${speaker.id}/`],
  ])("returns the URL of %j", async (path, address) => {
    expect(await evaluate(`chrome.runtime.getURL(${JSON.stringify(path)})`)).toBe(address);
    expect(await evaluate(`chrome.extension.getURL(${JSON.stringify(path)})`)).toBe(address);
  });

  it("lacks APIs that need a background script", async () => {
    expect(
      await evaluate("[typeof chrome.runtime.connect, typeof chrome.tabs, typeof chrome.storage]"),
    ).toEqual(["undefined", "undefined", "undefined"]);
  });

  it("rejects a message without a listener, for promises and callbacks", async () => {
    await expect(evaluate("chrome.runtime.sendMessage(1)")).rejects.toThrow(NO_RECEIVER);
    const toCallback = `new Promise((resolve) => chrome.runtime.sendMessage(1, () => resolve(chrome.runtime.lastError.message)))`;
    expect(await evaluate(toCallback)).toBe(NO_RECEIVER);
    expect(await evaluate("chrome.runtime.lastError")).toBeUndefined();
  });

  it.each<[how: string, listener: string, expression: string, answer: unknown]>([
    [
      "immediate response",
      "(message, sender, respond) => respond({ got: message })",
      "chrome.runtime.sendMessage({ a: [1] })",
      { got: { a: [1] } },
    ],
    [
      "delayed response",
      "(message, sender, respond) => { setTimeout(() => respond(message)); return true; }",
      "chrome.runtime.sendMessage(2)",
      2,
    ],
    ["promise", "async (message) => message + 1", "chrome.runtime.sendMessage(2)", 3],
    [
      "callback",
      "(message, sender, respond) => respond(message)",
      "new Promise((resolve) => chrome.runtime.sendMessage(4, resolve))",
      4,
    ],
    ["no response", "() => undefined", "chrome.runtime.sendMessage(5)", undefined],
    [
      "own id",
      "(message, sender, respond) => respond(message)",
      `chrome.runtime.sendMessage("${speaker.id}", 6, {})`,
      6,
    ],
    [
      "sender",
      "(message, { id, url }, respond) => respond([id, url])",
      "chrome.runtime.sendMessage(7)",
      [speaker.id, "http://site.test/"],
    ],
    [
      "copied message",
      "(message, sender, respond) => { message.a = 1; respond(message); }",
      `(async () => {
      const sent = { a: 0 };
      await chrome.runtime.sendMessage(sent);
      return sent;
    })()`,
      { a: 0 },
    ],
  ])("delivers a message to the listeners of its document: %s", async (_, listener, expression, answer) => {
    expect(await withListener(listener, expression)).toEqual(answer);
  });

  it("delivers no messages to other extensions or pages", async () => {
    await evaluate("chrome.runtime.onMessage.addListener((message, sender, respond) => respond(message))");
    await expect(page.evaluateIn(other, "chrome.runtime.sendMessage(1)")).rejects.toThrow(NO_RECEIVER);
    await expect(evaluate(`chrome.runtime.sendMessage("${other.id}", 1)`)).rejects.toThrow(NO_RECEIVER);
    const second = await browser.openPage("http://site.test/");
    await expect(second.evaluateIn(speaker, "chrome.runtime.sendMessage(1)")).rejects.toThrow(NO_RECEIVER);
  });
});
