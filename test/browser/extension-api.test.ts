import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ClientPage, ExtensionBrowser, newExtension, newStorage } from "./extension-browser.ts";

const IMAGE = "data:image/png;base64,AAAA";

const speaker = newExtension("s", [{ js: ["var listeners = [];"], runAt: "document_start" }], {
  manifest: { manifest_version: 3, name: "Speaker", version: "1.2", description: "</script>\u2028`" },
  resources: { "icons/a b.png": IMAGE, __proto__: "never" },
});
const other = newExtension("o", [{ js: ["0"], runAt: "document_start" }]);

const SITE = { "http://site.test/": { body: "<!doctype html><title>Site</title>" } };
const NOBODY = "Could not establish connection. Receiving end does not exist.";

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

  /** Has a listener while a message is sent. */
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

  it("says what the extension is", async () => {
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
  ])("gives the address of %j", async (path, address) => {
    expect(await evaluate(`chrome.runtime.getURL(${JSON.stringify(path)})`)).toBe(address);
    expect(await evaluate(`chrome.extension.getURL(${JSON.stringify(path)})`)).toBe(address);
  });

  it("has what a background would be needed for not at all", async () => {
    expect(
      await evaluate("[typeof chrome.runtime.connect, typeof chrome.tabs, typeof chrome.storage]"),
    ).toEqual(["undefined", "undefined", "undefined"]);
  });

  it("refuses a message that nobody listens for, to promises and callbacks", async () => {
    await expect(evaluate("chrome.runtime.sendMessage(1)")).rejects.toThrow(NOBODY);
    const toCallback = `new Promise((resolve) => chrome.runtime.sendMessage(1, () => resolve(chrome.runtime.lastError.message)))`;
    expect(await evaluate(toCallback)).toBe(NOBODY);
    expect(await evaluate("chrome.runtime.lastError")).toBeUndefined();
  });

  it.each<[how: string, listener: string, expression: string, answer: unknown]>([
    [
      "at once",
      "(message, sender, respond) => respond({ got: message })",
      "chrome.runtime.sendMessage({ a: [1] })",
      { got: { a: [1] } },
    ],
    [
      "later",
      "(message, sender, respond) => { setTimeout(() => respond(message)); return true; }",
      "chrome.runtime.sendMessage(2)",
      2,
    ],
    ["as a promise", "async (message) => message + 1", "chrome.runtime.sendMessage(2)", 3],
    [
      "to a callback",
      "(message, sender, respond) => respond(message)",
      "new Promise((resolve) => chrome.runtime.sendMessage(4, resolve))",
      4,
    ],
    ["not at all", "() => undefined", "chrome.runtime.sendMessage(5)", undefined],
    [
      "of itself by its id",
      "(message, sender, respond) => respond(message)",
      `chrome.runtime.sendMessage("${speaker.id}", 6, {})`,
      6,
    ],
    [
      "with its sender",
      "(message, { id, url }, respond) => respond([id, url])",
      "chrome.runtime.sendMessage(7)",
      [speaker.id, "http://site.test/"],
    ],
    [
      "from a copy",
      "(message, sender, respond) => { message.a = 1; respond(message); }",
      `(async () => {
      const sent = { a: 0 };
      await chrome.runtime.sendMessage(sent);
      return sent;
    })()`,
      { a: 0 },
    ],
  ])(
    "takes a message to the listeners of its document, which answer %s",
    async (_, listener, expression, answer) => {
      expect(await withListener(listener, expression)).toEqual(answer);
    },
  );

  it("takes messages to no other extension and no other page", async () => {
    await evaluate("chrome.runtime.onMessage.addListener((message, sender, respond) => respond(message))");
    await expect(page.evaluateIn(other, "chrome.runtime.sendMessage(1)")).rejects.toThrow(NOBODY);
    await expect(evaluate(`chrome.runtime.sendMessage("${other.id}", 1)`)).rejects.toThrow(NOBODY);
    const second = await browser.openPage("http://site.test/");
    await expect(second.evaluateIn(speaker, "chrome.runtime.sendMessage(1)")).rejects.toThrow(NOBODY);
  });
});
