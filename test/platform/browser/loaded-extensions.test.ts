import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { acquireBrowser } from "../../../src/platform/browser/connection/binding.ts";
import { openControlConnection } from "../../../src/platform/browser/connection/control-connection.ts";
import type { Connection } from "../../../src/platform/browser/connection/puppeteer.ts";
import type { BrowserExtension } from "../../../src/platform/browser/extensions/browser-extension.ts";
import { loadExtensions } from "../../../src/platform/browser/extensions/loaded-extensions.ts";
import { NotSavedError } from "../../../src/platform/browser/files/browser-disk.ts";
import { FakeBrowserBinding } from "../../fakes/browser-binding.ts";
import {
  type ClientPage,
  ExtensionBrowser,
  newExtension,
  newLoadedExtensions,
  newStorage,
  type SitePage,
} from "./extension-browser.ts";
import { useLoadingChromiums } from "./loading-chromium.ts";

useLoadingChromiums();

const SITE: Readonly<Record<string, SitePage>> = {
  "http://site.test/": { body: "<!doctype html><title>Site</title>" },
};

/** Long, because the machine may be busy. */

/** Counts its runs in the document, where every world can read it. */
const count = (name: string) => `{
  const { dataset } = document.documentElement;
  dataset.${name} = Number(dataset.${name} ?? 0) + 1;
}`;

const PING_BACKGROUND = `chrome.runtime.sendMessage("ping").then((answer) => {
  document.documentElement.dataset.answer = answer;
});`;

/**
 * An extension that both Berth and a browser can run, with a script that counts its runs. Berth would run the
 * script first, so the count is final once the browser has run it.
 */
function newExtensionWithFiles(
  letter: string,
  {
    js = "",
    manifest = {},
    files = {},
  }: { js?: string; manifest?: object; files?: Record<string, string> } = {},
): BrowserExtension {
  const source = `${count(letter)} ${js}`;
  const allFiles = {
    "manifest.json": JSON.stringify({
      manifest_version: 3,
      name: letter,
      version: "1",
      content_scripts: [{ matches: ["*://*.test/*"], js: ["scripts/page.js"] }],
      ...manifest,
    }),
    "scripts/page.js": source,
    ...files,
  };
  const readFiles = async () =>
    Object.entries(allFiles).map(([path, text]) => ({
      path,
      read: async () => new TextEncoder().encode(text),
    }));
  return newExtension(letter, [{ js: [source], runAt: "document_start" }], { readFiles });
}

const withBackground = newExtensionWithFiles("a", {
  js: PING_BACKGROUND,
  manifest: { background: { service_worker: "background.js", type: "module" } },
  files: {
    "background.js": `import { answer } from "./scripts/answer.js";
      chrome.runtime.onMessage.addListener((message, sender, respond) => respond(answer(message)));`,
    "scripts/answer.js": `export const answer = (message) => message + " pong";`,
    ".gitignore": "node_modules",
    "scripts/.DS_Store": "",
  },
});

const plain = newExtensionWithFiles("b");

const marks = (page: ClientPage) => page.evaluate("({ ...document.documentElement.dataset })");

describe("a Chromium that loads extensions", () => {
  let browser: ExtensionBrowser;
  const loaded = newLoadedExtensions();
  const extensions = { list: [withBackground, plain], storage: newStorage(), loaded };

  beforeAll(async () => {
    browser = await ExtensionBrowser.launch(SITE);
    await browser.connect(extensions);
  });
  afterAll(() => browser.close());

  it("runs their scripts once, and their service workers", async () => {
    expect(loaded.ids).toEqual([withBackground.id, plain.id]);
    const page = await browser.openPage("http://site.test/");
    await expect.poll(() => marks(page)).toEqual({ a: "1", b: "1", answer: "ping pong" });
  });

  it("runs them in contexts that clients create", async () => {
    const { browserContextId } = await browser.client.send("Target.createBrowserContext");
    const page = await browser.openPage("http://site.test/", browserContextId);
    await expect.poll(() => marks(page)).toEqual({ a: "1", b: "1", answer: "ping pong" });
  });

  it("neither loads nor runs them again after a reconnect", async () => {
    const before = await browser.client.send("Extensions.getExtensions");
    const again = await browser.connect(extensions);
    expect(await browser.client.send("Extensions.getExtensions")).toEqual(before);
    const page = await browser.openPage("http://site.test/");
    await expect.poll(() => marks(page)).toEqual({ a: "1", b: "1", answer: "ping pong" });
    again.disconnect();
  });
});

/** Sessions of other files log meanwhile. */
function linesAbout(logged: { mock: { calls: unknown[][] } }): unknown[] {
  return logged.mock.calls.flat().filter((line) => String(line).includes("extension"));
}

describe("a Chromium that loads some extensions", () => {
  afterEach(() => vi.restoreAllMocks());

  it("leaves the others to Berth", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const refused = newExtensionWithFiles("r", { manifest: { version: "no version" } });
    const unwritable = newExtensionWithFiles("u", { files: { "~draft.js": "" } });
    const loaded = newLoadedExtensions();
    const browser = await ExtensionBrowser.launch(SITE);
    await browser.connect(
      { list: [refused, unwritable, withBackground], storage: newStorage(), loaded },
      true,
    );
    expect(loaded.ids).toEqual([withBackground.id]);
    expect(linesAbout(logged)).toEqual(
      [refused, unwritable].map(({ id }) => expect.stringMatching(`extension_not_loaded.*${id}`)),
    );
    const page = await browser.openPage("http://site.test/");
    await expect.poll(() => marks(page)).toEqual({ a: "1", answer: "ping pong", r: "1", u: "1" });
    expect(await page.evaluate("navigator.webdriver")).toBe(false);
    await browser.close();
  });
});

describe("loadExtensions", () => {
  let binding: FakeBrowserBinding;
  let connection: Connection;
  let written: string[][];
  let directory: string;
  /** Writes nothing. */
  const disk = {
    writeTree: async (files: readonly { path: string }[]) => {
      written.push(files.map(({ path }) => path));
      return directory;
    },
  };

  beforeEach(async () => {
    const fake = new FakeBrowserBinding();
    binding = fake;
    written = [];
    directory = "/tmp/extension";
    const fakeBinding = new Proxy(env.BROWSER, {
      get: (target, name) => (name === "fetch" ? fake.fetch.bind(fake) : Reflect.get(target, name)),
    });
    const id = await acquireBrowser(fakeBinding, 60_000);
    fake.browser(id).flags.clear();
    connection = await openControlConnection(fakeBinding, id);
  });
  afterEach(() => {
    connection.dispose();
    vi.restoreAllMocks();
  });

  const flags = () => binding.browser(binding.launched[0] ?? "").flags;
  const load = () => loadExtensions(connection, disk, [withBackground, plain]);

  it("returns the loaded extensions, and skips hidden files", async () => {
    expect(await load()).toEqual([withBackground.id, plain.id]);
    expect(written).toEqual([
      ["manifest.json", "scripts/page.js", "background.js", "scripts/answer.js"],
      ["manifest.json", "scripts/page.js"],
    ]);
    expect(binding.commands).toContainEqual(
      expect.objectContaining({
        method: "Extensions.loadUnpacked",
        params: { path: directory, enableInIncognito: true },
      }),
    );
  });

  it("loads in a browser that does not report its flags", async () => {
    binding.failingMethods.add("Browser.getBrowserCommandLine");
    expect(await load()).toEqual([withBackground.id, plain.id]);
  });

  it("writes nothing when the browser has extensions disabled or does not support them", async () => {
    flags().add("--disable-extensions");
    expect(await load()).toEqual([]);
    flags().clear();
    binding.failingMethods.add("Extensions.getExtensions");
    expect(await load()).toEqual([]);
    expect(written).toEqual([]);
  });

  it("stops after one that the browser accepts without loading it", async () => {
    flags().add("--disable-extensions");
    binding.failingMethods.add("Browser.getBrowserCommandLine");
    expect(await load()).toEqual([]);
    expect(written).toHaveLength(1);
  });

  it("returns none when the browser refuses each", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    directory = "nowhere";
    expect(await load()).toEqual([]);
    expect(written).toHaveLength(2);
    expect(linesAbout(logged)).toHaveLength(2);
  });

  it("stops after one in a browser without a disk", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const writeTree = vi.fn().mockRejectedValue(new NotSavedError("no disk"));
    expect(await loadExtensions(connection, { writeTree }, [withBackground, plain])).toEqual([]);
    expect(writeTree).toHaveBeenCalledOnce();
    expect(logged).toHaveBeenCalledOnce();
  });

  it("fails when the connection ends, because what was loaded is unknown", async () => {
    const writeTree = async () => {
      connection.dispose();
      return directory;
    };
    const loading = loadExtensions(connection, { writeTree }, [plain]);
    await expect(loading).rejects.toThrow();
  });
});
