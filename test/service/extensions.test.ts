import { toFile } from "@onkernel/sdk";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { connectPage } from "../conformance/connect-page.ts";
import { SharedService } from "../conformance/shared-service.ts";
import { openSite } from "../conformance/site.ts";
import { buildZip } from "../lib/archives/zip-builder.ts";
import { keepForFile } from "../outside/keep-for-file.ts";

const service = await SharedService.use();
const site = keepForFile(await openSite());
const kernel = service.kernel();

/** An extension that marks pages and counts visits. */
const FILES = {
  "manifest.json": JSON.stringify({
    manifest_version: 3,
    name: "Marker",
    version: "1.0",
    permissions: ["storage", "tabs"],
    background: { service_worker: "background.js" },
    content_scripts: [
      { matches: ["http://127.0.0.1/*"], js: ["start.js"], css: ["style.css"], run_at: "document_start" },
      { matches: ["http://127.0.0.1/*"], js: ["count.js"] },
      { matches: ["http://127.0.0.1/*"], js: ["main.js"], world: "MAIN", run_at: "document_start" },
      { matches: ["https://elsewhere.example/*"], js: ["main.js"] },
    ],
    web_accessible_resources: [{ resources: ["*.svg"], matches: ["<all_urls>"] }],
  }),
  "background.js": "",
  "start.js": "document.documentElement.dataset.version = chrome.runtime.getManifest().version;",
  "style.css": "h1, p { letter-spacing: 7px; }",
  "count.js": `chrome.storage.local.get({ visits: 0 }).then(async ({ visits }) => {
    await chrome.storage.local.set({ visits: visits + 1 });
    document.documentElement.dataset.picture = chrome.runtime.getURL("picture.svg");
    document.documentElement.dataset.visits = String(visits + 1);
  });`,
  "main.js": "window.fromExtension = typeof chrome === 'undefined' || chrome.storage === undefined;",
  "picture.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
};

async function upload(name: string, files: Record<string, string> = FILES) {
  const zip = buildZip(Object.entries(files).map(([path, content]) => ({ name: `marker/${path}`, content })));
  return kernel.extensions.upload({ file: await toFile(zip, "marker.zip"), name });
}

const marks = (page: Page) => page.evaluate(() => ({ ...document.documentElement.dataset }));

const visits = (page: Page) => expect.poll(async () => (await marks(page)).visits);

describe("extension", () => {
  test("can be uploaded, retrieved, listed, downloaded and deleted", async () => {
    const extension = await upload("described");
    expect(await kernel.extensions.get("described")).toEqual(extension);
    expect(extension).toMatchObject({
      name: "described",
      unsupported: [{ feature: "background" }, { feature: "permissions.tabs" }],
    });
    const listed = await Array.fromAsync(kernel.extensions.list());
    expect(listed.map(({ id }) => id)).toContain(extension.id);
    const download = await kernel.extensions.download(extension.id);
    expect((await download.arrayBuffer()).byteLength).toBe(extension.size_bytes);
    await kernel.extensions.delete("described");
    await expect(kernel.extensions.get("described")).rejects.toMatchObject({ status: 404 });
  });

  test("runs its scripts and styles in all pages of a session", async () => {
    await upload("runs");
    const session = await kernel.browsers.create({ extensions: [{ name: "runs" }] });
    const { browser, page } = await connectPage(session);
    await page.goto(site.origin);
    await visits(page).toBe("1");
    expect(await marks(page)).toMatchObject({
      version: "1.0",
      picture: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
    });
    const style = () => getComputedStyle(document.querySelector("h1, p") ?? document.body).letterSpacing;
    expect(await page.evaluate(style)).toBe("7px");
    expect(await page.evaluate("window.fromExtension")).toBe(true);

    const popup = page.waitForEvent("popup");
    await page.click("#popup");
    await visits(await popup).toBe("2");
    const context = await browser.newContext();
    const own = await context.newPage();
    await own.goto(`${site.origin}/greet?who=you`);
    await visits(own).toBe("3");
    expect(await own.evaluate(style)).toBe("7px");
    await browser.close();

    const again = await connectPage(session);
    await again.page.goto(`${site.origin}/popup`);
    await visits(again.page).toBe("4");
    await again.browser.close();
    await kernel.browsers.deleteByID(session.session_id);
  });

  test("does not run in other sessions or on pages that it does not match", async () => {
    await upload("elsewhere", {
      ...FILES,
      "manifest.json": FILES["manifest.json"].replaceAll("http://127.0.0.1/*", "http://127.0.0.1/popup"),
    });
    const [plain, selected] = await Promise.all([
      kernel.browsers.create(),
      kernel.browsers.create({ extensions: [{ name: "elsewhere" }] }),
    ]);
    for (const [session, expected] of [
      [plain, undefined],
      [selected, "1"],
    ] as const) {
      const { browser, page } = await connectPage(session);
      await page.goto(site.origin);
      expect((await marks(page)).version).toBeUndefined();
      await page.goto(`${site.origin}/popup`);
      if (expected !== undefined) await visits(page).toBe(expected);
      expect((await marks(page)).visits).toBe(expected);
      await browser.close();
      await kernel.browsers.deleteByID(session.session_id);
    }
  });

  test("runs in every lease of a pool", async () => {
    await upload("pooled");
    const pool = await kernel.browserPools.create({ size: 1, extensions: [{ name: "pooled" }] });
    for (const lease of [1, 2]) {
      const session = await kernel.browserPools.acquire(pool.id, {});
      const { browser, page } = await connectPage(session);
      await page.goto(site.origin);
      await visits(page).toBe(String(lease));
      await browser.close();
      await kernel.browserPools.release(pool.id, { session_id: session.session_id });
    }
    await kernel.browserPools.delete(pool.id);
  });
});
