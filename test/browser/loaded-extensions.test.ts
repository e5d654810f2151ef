import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { acquireBrowser } from "../../src/browser/connection/binding.ts";
import { openControlConnection } from "../../src/browser/connection/control-connection.ts";
import type { Connection } from "../../src/browser/connection/puppeteer.ts";
import type { BrowserExtension } from "../../src/browser/extensions/browser-extension.ts";
import { loadExtensions } from "../../src/browser/extensions/loaded-extensions.ts";
import { NotSavedError } from "../../src/browser/files/browser-disk.ts";
import { FakeBrowserBinding } from "../fakes/browser-binding.ts";
import {
  type ClientPage,
  ExtensionBrowser,
  newExtension,
  newNotes,
  newStorage,
  type SitePage,
} from "./extension-browser.ts";
import { useLoadingChromiums } from "./loading-chromium.ts";

useLoadingChromiums();

const SITE: Readonly<Record<string, SitePage>> = {
  "http://site.test/": { body: "<!doctype html><title>Site</title>" },
};

/** What a page has for what its extensions do: the machine may have much to do. */
const PATIENCE = { timeout: 10_000 };

/** Marks a document so that every world can read it, however often it runs. */
const count = (name: string) => `{
  const { dataset } = document.documentElement;
  dataset.${name} = Number(dataset.${name} ?? 0) + 1;
}`;

const ASK_BACKGROUND = `chrome.runtime.sendMessage("ping").then((answer) => {
  document.documentElement.dataset.answer = answer;
});`;

/**
 * An extension that says the same to Berth and to a browser: a script that counts, and whatever else. Berth runs it
 * before the browser does: once the browser has, it is known how often it ran.
 */
function newWholeExtension(
  letter: string,
  {
    js = "",
    manifest = {},
    files = {},
  }: { js?: string; manifest?: object; files?: Record<string, string> } = {},
): BrowserExtension {
  const source = `${count(letter)} ${js}`;
  const all = {
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
    Object.entries(all).map(([path, text]) => ({ path, read: async () => new TextEncoder().encode(text) }));
  return newExtension(letter, [{ js: [source], runAt: "document_start" }], { readFiles });
}

const withBackground = newWholeExtension("a", {
  js: ASK_BACKGROUND,
  manifest: { background: { service_worker: "background.js", type: "module" } },
  files: {
    "background.js": `import { answer } from "./scripts/answer.js";
      chrome.runtime.onMessage.addListener((message, sender, respond) => respond(answer(message)));`,
    "scripts/answer.js": `export const answer = (message) => message + " pong";`,
    ".gitignore": "node_modules",
    "scripts/.DS_Store": "",
  },
});

const plain = newWholeExtension("b");

const marks = (page: ClientPage) => page.evaluate("({ ...document.documentElement.dataset })");

describe("a Chromium that loads extensions", () => {
  let browser: ExtensionBrowser;
  const loaded = newNotes();
  const extensions = { list: [withBackground, plain], storage: newStorage(), loaded };

  beforeAll(async () => {
    browser = await ExtensionBrowser.launch(SITE);
    await browser.connect(extensions);
  });
  afterAll(() => browser.close());

  it("runs their scripts itself, once, and their service workers", async () => {
    expect(loaded.ids).toEqual([withBackground.id, plain.id]);
    const page = await browser.openPage("http://site.test/");
    await expect.poll(() => marks(page), PATIENCE).toEqual({ a: "1", b: "1", answer: "ping pong" });
  });

  it("runs them in the contexts that clients make", async () => {
    const { browserContextId } = await browser.client.send("Target.createBrowserContext");
    const page = await browser.openPage("http://site.test/", browserContextId);
    await expect.poll(() => marks(page), PATIENCE).toEqual({ a: "1", b: "1", answer: "ping pong" });
  });

  it("is given none again by a connection that follows, which runs none either", async () => {
    const before = await browser.client.send("Extensions.getExtensions");
    const again = await browser.connect(extensions);
    expect(await browser.client.send("Extensions.getExtensions")).toEqual(before);
    const page = await browser.openPage("http://site.test/");
    await expect.poll(() => marks(page), PATIENCE).toEqual({ a: "1", b: "1", answer: "ping pong" });
    again.disconnect();
  });
});

describe("a Chromium that loads some extensions", () => {
  afterEach(() => vi.restoreAllMocks());

  it("has the others run for it", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const refused = newWholeExtension("r", { manifest: { version: "no version" } });
    const unwritable = newWholeExtension("u", { files: { "~draft.js": "" } });
    const loaded = newNotes();
    const browser = await ExtensionBrowser.launch(SITE);
    await browser.connect(
      { list: [refused, unwritable, withBackground], storage: newStorage(), loaded },
      true,
    );
    expect(loaded.ids).toEqual([withBackground.id]);
    expect(logged.mock.calls).toEqual(
      [refused, unwritable].map(({ id }) => [expect.stringMatching(`extension_not_loaded.*${id}`)]),
    );
    const page = await browser.openPage("http://site.test/");
    await expect.poll(() => marks(page), PATIENCE).toEqual({ a: "1", answer: "ping pong", r: "1", u: "1" });
    expect(await page.evaluate("navigator.webdriver")).toBe(false);
    await browser.close();
  });
});

describe("loadExtensions", () => {
  let binding: FakeBrowserBinding;
  let connection: Connection;
  let written: string[][];
  let directory: string;
  /** Writes nothing, and says where. */
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
    const run = new Proxy(env.BROWSER, {
      get: (target, name) => (name === "fetch" ? fake.fetch.bind(fake) : Reflect.get(target, name)),
    });
    const id = await acquireBrowser(run, 60_000);
    fake.browser(id).flags.clear();
    connection = await openControlConnection(run, id);
  });
  afterEach(() => {
    connection.dispose();
    vi.restoreAllMocks();
  });

  const flags = () => binding.browser(binding.launched[0] ?? "").flags;
  const load = () => loadExtensions(connection, disk, [withBackground, plain]);

  it("tells which the browser has loaded, and leaves hidden files out", async () => {
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

  it("loads in a browser that keeps its flags to itself", async () => {
    binding.failingMethods.add("Browser.getBrowserCommandLine");
    expect(await load()).toEqual([withBackground.id, plain.id]);
  });

  it("writes nothing where the browser says that it has no extensions, or does not know them", async () => {
    flags().add("--disable-extensions");
    expect(await load()).toEqual([]);
    flags().clear();
    binding.failingMethods.add("Extensions.getExtensions");
    expect(await load()).toEqual([]);
    expect(written).toEqual([]);
  });

  it("tries one where the browser takes them, and loads none", async () => {
    flags().add("--disable-extensions");
    binding.failingMethods.add("Browser.getBrowserCommandLine");
    expect(await load()).toEqual([]);
    expect(written).toHaveLength(1);
  });

  it("has none of which the browser refuses each", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    directory = "nowhere";
    expect(await load()).toEqual([]);
    expect(written).toHaveLength(2);
    expect(logged).toHaveBeenCalledTimes(2);
  });

  it("gives a browser without a disk one only", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const writeTree = vi.fn().mockRejectedValue(new NotSavedError("no disk"));
    expect(await loadExtensions(connection, { writeTree }, [withBackground, plain])).toEqual([]);
    expect(writeTree).toHaveBeenCalledOnce();
    expect(logged).toHaveBeenCalledOnce();
  });

  it("fails where the connection ends: nobody knows what the browser has loaded", async () => {
    const writeTree = async () => {
      connection.dispose();
      return directory;
    };
    const loading = loadExtensions(connection, { writeTree }, [plain]);
    await expect(loading).rejects.toThrow();
  });
});
