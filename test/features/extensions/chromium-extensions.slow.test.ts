import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Client, newClient } from "../../api.ts";
import { readRecord, restart } from "../../objects.ts";
import { ExtensionBrowser, type SitePage } from "../../platform/browser/extension-browser.ts";
import { useLoadingChromiums } from "../../platform/browser/loading-chromium.ts";
import { acquire, createFullPool, endPoolsAfterAll, release } from "../browser-pools/pools.ts";
import { extensionZip, uploadExtension } from "./extensions.ts";

useLoadingChromiums();
endPoolsAfterAll();

const SITE: Readonly<Record<string, SitePage>> = {
  "http://site.test/": { body: "<!doctype html><title>Site</title>" },
};

/** Counts its runs, and messages its service worker, which Chromium runs and Berth does not. */
const ZIP = extensionZip(
  {
    background: { service_worker: "background.js" },
    content_scripts: [{ matches: ["http://site.test/*"], js: ["count.js"], run_at: "document_start" }],
  },
  {
    "count.js": `{
      const { dataset } = document.documentElement;
      dataset.count = Number(dataset.count ?? 0) + 1;
      addEventListener("load", async () => {
        dataset.answer = await chrome.runtime.sendMessage("ping").catch(({ message }) => message);
      });
    }`,
    "background.js": `chrome.runtime.onMessage.addListener((message, sender, respond) => respond(message + " pong"));`,
  },
);

const clients: ExtensionBrowser[] = [];
afterEach(() => {
  for (const { client } of clients.splice(0)) client.dispose();
});

/** Opens a page in the session. @returns a reader of the data that the extension left there. */
async function visit(sessionId: string): Promise<() => Promise<unknown>> {
  const { browserId = "" } = (await readRecord(sessionId)) ?? {};
  const browser = await ExtensionBrowser.of(browserId, SITE);
  clients.push(browser);
  const page = await browser.openPage("http://site.test/");
  return () => page.evaluate("({ ...document.documentElement.dataset })");
}

const ONCE = { count: "1", answer: "ping pong" };

describe("extensions loaded by Chromium", () => {
  let client: Client;
  let id: string;
  beforeEach(async () => {
    client = await newClient();
    ({ id } = await uploadExtension(client, ZIP));
  });

  it.each([true, false])(
    "run once per page, even after the session object restarts (stealth: %s)",
    async (stealth) => {
      const { session_id } = await client.createSession({ extensions: [{ id }], stealth });
      await expect.poll(await visit(session_id)).toEqual(ONCE);
      await restart(session_id);
      // The screenshot makes the new object connect.
      expect((await client.post(`/browsers/${session_id}/computer/screenshot`, {})).status).toBe(200);
      await expect.poll(await visit(session_id)).toEqual(ONCE);
      await client.delete(`/browsers/${session_id}`);
    },
  );

  it("run once per page in every lease of a pool", async () => {
    const pool = await createFullPool(client, { size: 1, extensions: [{ id }] });
    for (let lease = 1; lease <= 2; lease += 1) {
      const { session_id } = await acquire(client, pool.id);
      await expect.poll(await visit(session_id)).toEqual(ONCE);
      await release(client, pool.id, session_id);
    }
  });
});
