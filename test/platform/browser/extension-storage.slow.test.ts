import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { BrowserExtension } from "../../../src/platform/browser/extensions/browser-extension.ts";
import {
  ExtensionStorageError,
  StorageAreas,
} from "../../../src/platform/browser/extensions/extension-storage-areas.ts";
import { STORAGE_QUOTA_BYTES } from "../../../src/platform/page-scripts/extension-protocol.ts";
import { type ClientPage, ExtensionBrowser, newExtension, newStorage } from "./extension-browser.ts";

const WITH_STORAGE = {
  manifest: { manifest_version: 3, name: "Keeper", version: "1.2", permissions: ["storage"] },
};

const RECORD_CHANGES = `globalThis.heard = [];
  chrome.storage.onChanged.addListener((changes, area) => heard.push(["all", changes, area]));
  chrome.storage.local.onChanged.addListener((changes) => heard.push(["local", changes]));`;

const keeper = newExtension("k", [{ js: [RECORD_CHANGES], runAt: "document_start" }], WITH_STORAGE);
const neighbor = newExtension("n", [{ js: [RECORD_CHANGES], runAt: "document_start" }], WITH_STORAGE);
const plain = newExtension("p", [{ js: ["globalThis.ran = true;"], runAt: "document_start" }]);

/** Long, because the machine may be busy. */

const SITE = {
  "http://site.test/": { body: "<!doctype html><title>Site</title>" },
  "http://site.test/busy": { body: "<!doctype html><script>for (;;) {}</script>" },
};

const HEAVY = `"x".repeat(6 * 1024 * 1024)`;

describe("StorageAreas", () => {
  const over = { over: "x".repeat(STORAGE_QUOTA_BYTES) };
  const newAreas = (isUnlimited: boolean, items: Record<string, unknown>) =>
    new StorageAreas({
      extensionId: "id",
      storage: { read: () => items, write: () => undefined },
      isUnlimited,
      onChanged: () => undefined,
    });

  it("lets only extensions with unlimited storage exceed the quota", async () => {
    const set = { area: "local", method: "set", value: over } as const;
    await expect(newAreas(true, {}).serve(set)).resolves.toBeUndefined();
    await expect(newAreas(false, {}).serve(set)).rejects.toThrow(ExtensionStorageError);
  });

  it("continues after a rejection, and lets items over the quota shrink", async () => {
    const areas = newAreas(false, over);
    const more = { area: "local", method: "set", value: { more: 1 } } as const;
    await expect(areas.serve(more)).rejects.toThrow(ExtensionStorageError);
    const less = { area: "local", method: "set", value: { over: over.over.slice(1) } } as const;
    await expect(areas.serve(less)).resolves.toBeUndefined();
  });
});

describe("chrome.storage in a real Chromium", () => {
  const storage = newStorage();
  let browser: ExtensionBrowser;
  let page: ClientPage;
  let other: ClientPage;

  beforeAll(async () => {
    browser = await ExtensionBrowser.launch(SITE);
    await browser.connect({ list: [keeper, neighbor, plain], storage });
    page = await browser.openPage("http://site.test/");
    other = await browser.openPage("http://site.test/");
  });
  afterAll(() => browser.close());
  beforeEach(() => storage.stored.clear());

  const inPage = (expression: string) => page.evaluateIn(keeper, expression);

  it("shares items between pages, including later ones", async () => {
    await inPage(`chrome.storage.local.set({ a: { b: [1, null, "é"] }, constructor: { c: 2 } })`);
    const got = `chrome.storage.local.get().then((items) => JSON.stringify(items))`;
    expect(await other.evaluateIn(keeper, got)).toBe('{"a":{"b":[1,null,"é"]},"constructor":{"c":2}}');
    expect(storage.stored.get(keeper.id)?.a).toEqual({ b: [1, null, "é"] });
    const late = await browser.openPage("http://site.test/");
    expect(await late.evaluateIn(keeper, got)).toBe('{"a":{"b":[1,null,"é"]},"constructor":{"c":2}}');
  });

  it.each<[keys: string, items: unknown]>([
    ["", { a: 1, b: 2 }],
    ["null", { a: 1, b: 2 }],
    ["undefined", { a: 1, b: 2 }],
    [`"a"`, { a: 1 }],
    [`"none"`, {}],
    ["[]", {}],
    [`["a", "none"]`, { a: 1 }],
    ["{}", {}],
    [`{ a: "default", none: "default" }`, { a: 1, none: "default" }],
  ])("gets items by %s, with a promise and a callback", async (keys, items) => {
    await inPage(`chrome.storage.local.set({ a: 1, b: 2 })`);
    expect(await inPage(`chrome.storage.local.get(${keys})`)).toEqual(items);
    const toCallback = `new Promise((resolve) => chrome.storage.local.get(${keys === "" ? "" : `${keys}, `}resolve))`;
    expect(await inPage(toCallback)).toEqual(items);
  });

  it("removes, clears and measures items", async () => {
    await inPage(`chrome.storage.local.set({ key: "value", "é": 1, c: [], d: 0 })`);
    expect(await inPage(`chrome.storage.local.getBytesInUse("key")`)).toBe(10);
    expect(await inPage(`chrome.storage.local.getBytesInUse(["é", "none"])`)).toBe(3);
    expect(await inPage(`chrome.storage.local.getBytesInUse()`)).toBe(18);
    await inPage(`chrome.storage.local.remove("key")`);
    await inPage(`new Promise((resolve) => chrome.storage.local.remove(["é", "none"], resolve))`);
    expect(await inPage(`chrome.storage.local.get()`)).toEqual({ c: [], d: 0 });
    await inPage(`chrome.storage.local.clear()`);
    expect(await inPage(`browser.storage.local.get()`)).toEqual({});
  });

  it("separates areas and extensions", async () => {
    await inPage(
      `Promise.all(["local", "sync", "session"].map((area) => chrome.storage[area].set({ area })))`,
    );
    const areas = `Promise.all(["local", "sync", "session"].map((area) => chrome.storage[area].get("area")))`;
    expect(await other.evaluateIn(keeper, areas)).toEqual([
      { area: "local" },
      { area: "sync" },
      { area: "session" },
    ]);
    expect(await page.evaluateIn(neighbor, areas)).toEqual([{}, {}, {}]);
    expect([...storage.stored.keys()]).toEqual([keeper.id, `${keeper.id}:sync`]);
  });

  it("notifies every page of the extension of changed items only", async () => {
    await inPage(`chrome.storage.local.set({ same: 1, old: 1 })`);
    for (const each of [page, other]) await each.evaluateIn(keeper, "heard.length = 0");
    await page.evaluateIn(neighbor, "heard.length = 0");
    await inPage(`chrome.storage.local.set({ same: 1, old: 2, new: 3 })`);
    await inPage(`chrome.storage.local.set({ same: 1 })`);
    await inPage(`chrome.storage.sync.set({ x: ${Date.now()} })`);
    await inPage(`chrome.storage.local.remove("old")`);
    const changes = { old: { oldValue: 1, newValue: 2 }, new: { newValue: 3 } };
    for (const each of [page, other]) {
      await expect.poll(() => each.evaluateIn(keeper, "heard.length")).toBe(5);
      expect(await each.evaluateIn(keeper, "heard")).toEqual([
        ["local", changes],
        ["all", changes, "local"],
        ["all", { x: { newValue: expect.any(Number) } }, "sync"],
        ["local", { old: { oldValue: 2 } }],
        ["all", { old: { oldValue: 2 } }, "local"],
      ]);
    }
    expect(await page.evaluateIn(neighbor, "heard")).toEqual([]);
  });

  it("serializes concurrent requests to an area", async () => {
    const sets = `Promise.all(Array.from({ length: 20 }, (_, n) => chrome.storage.local.set({ ["key" + n]: n })))`;
    await Promise.all([inPage(sets), other.evaluateIn(keeper, sets.replaceAll("key", "other"))]);
    expect(await inPage(`chrome.storage.local.get().then((items) => Object.keys(items).length)`)).toBe(40);
  });

  it("does not wait for unresponsive pages, and logs nothing", async () => {
    const logged = vi.spyOn(console, "error");
    const busy = await browser.openPage();
    await busy.session.send("Page.navigate", { url: "http://site.test/busy" });
    await inPage(`chrome.storage.local.set({ a: 1 })`);
    await inPage(`chrome.storage.local.set({ a: 2 })`);
    expect(await other.evaluateIn(keeper, `chrome.storage.local.get()`)).toEqual({ a: 2 });
    const leaving = await browser.openPage("http://site.test/");
    await leaving.evaluateIn(keeper, `void chrome.storage.local.set({ a: 3 })`);
    await leaving.session.send("Page.close");
    await expect.poll(() => inPage(`chrome.storage.local.get()`)).toEqual({ a: 3 });
    // Sessions of other files log meanwhile.
    expect(logged).not.toHaveBeenCalledWith(expect.stringMatching(/extension/));
  });

  it("rejects items over the quota, and keeps the stored ones", async () => {
    await inPage(`chrome.storage.local.set({ first: ${HEAVY} })`);
    const refused = "Resource::kQuotaBytes quota exceeded";
    await expect(inPage(`chrome.storage.local.set({ second: ${HEAVY} })`)).rejects.toThrow(refused);
    const toCallback = `new Promise((resolve) =>
      chrome.storage.local.set({ second: ${HEAVY} }, () => resolve(chrome.runtime.lastError.message)))`;
    expect(await inPage(toCallback)).toBe(refused);
    expect(await inPage("chrome.runtime.lastError")).toBeUndefined();
    expect(await inPage(`chrome.storage.local.getBytesInUse("second")`)).toBe(0);
    await inPage(`chrome.storage.local.set({ first: 1, second: 2 })`);
    expect(await inPage(`chrome.storage.local.getBytesInUse()`)).toBe(13);
  });

  it("is hidden from the page and from extensions without the permission", async () => {
    await inPage(`chrome.storage.local.set({ secret: 1 })`);
    const found = `[
      typeof chrome.storage, typeof chrome.runtime, typeof browser,
      ...Object.getOwnPropertyNames(globalThis).filter((name) => /berth/i.test(name)),
    ]`;
    expect(await page.evaluate(found)).toEqual(["undefined", "undefined", "undefined"]);
    expect(
      await page.evaluateIn(
        plain,
        `[ran, typeof chrome.storage, typeof globalThis["berthStorage-${plain.id}"]]`,
      ),
    ).toEqual([true, "undefined", "undefined"]);
    const names = [keeper, neighbor].map(({ id }) => `berthStorage-${id}`);
    const calls = names.map((name) => `typeof globalThis[${JSON.stringify(name)}]`);
    expect(await page.evaluate(`[${calls.join()}]`)).toEqual(["undefined", "undefined"]);
    expect(await page.evaluateIn(neighbor, `[${calls.join()}]`)).toEqual(["undefined", "function"]);
    // A new frame has none before it loads.
    const inFrame = `(() => {
      const frame = document.createElement("iframe");
      document.body.append(frame);
      return Object.getOwnPropertyNames(frame.contentWindow).filter((name) => /berth/i.test(name));
    })()`;
    expect(await page.evaluate(inFrame)).toEqual([]);
  });

  it("ignores malformed calls", async () => {
    const call = (text: string) =>
      inPage(`globalThis["berthStorage-${keeper.id}"](${JSON.stringify(text)}); 0`);
    for (const text of ["", "{", "null", "[]", '{"id":1}', '{"id":1,"area":"managed","method":"clear"}'])
      await call(text);
    await inPage(`chrome.storage.local.set({ a: 1 })`);
    expect(await inPage(`chrome.storage.local.get()`)).toEqual({ a: 1 });
  });

  it("keeps working in open pages after a reconnect", async () => {
    const second = await ExtensionBrowser.launch(SITE);
    const first = await second.connect({ list: [keeper], storage });
    const openPage = await second.openPage("http://site.test/");
    await openPage.evaluateIn(keeper, `chrome.storage.local.set({ a: 1 })`);
    first.disconnect();
    await second.connect({ list: [keeper], storage });
    expect(await openPage.evaluateIn(keeper, `chrome.storage.local.get()`)).toEqual({ a: 1 });
    await openPage.evaluateIn(keeper, `chrome.storage.local.set({ a: 2 })`);
    const changes = `heard.filter(([kind]) => kind === "local").map(([, { a }]) => a.newValue)`;
    await expect.poll(() => openPage.evaluateIn(keeper, changes)).toEqual([1, 2]);
    await second.close();
  });

  it("reports a failing store to the page only", async () => {
    const failing: BrowserExtension = newExtension(
      "f",
      [{ js: ["0"], runAt: "document_start" }],
      WITH_STORAGE,
    );
    const second = await ExtensionBrowser.launch(SITE);
    const read = () => Promise.reject(new Error("of the session's own"));
    await second.connect({ list: [failing], storage: { read, write: () => undefined } });
    const failed = await second.openPage("http://site.test/");
    await expect(failed.evaluateIn(failing, `chrome.storage.local.get()`)).rejects.toThrow(
      "The storage failed",
    );
    expect(await failed.evaluateIn(failing, `chrome.storage.session.get()`)).toEqual({});
    await second.close();
  });
});
