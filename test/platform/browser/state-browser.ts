import { env } from "cloudflare:workers";
import { acquireBrowser, closeBrowser } from "../../../src/platform/browser/connection/binding.ts";
import {
  attachSession,
  openControlConnection,
} from "../../../src/platform/browser/connection/control-connection.ts";
import type { Connection } from "../../../src/platform/browser/connection/puppeteer.ts";
import { ClientPage } from "./extension-browser.ts";

/** A service worker that answers every navigation itself and records it. */
const SERVICE_WORKER = `
  oninstall = () => skipWaiting();
  onactivate = (event) => event.waitUntil(clients.claim());
  onfetch = (event) => {
    const answer = "<!doctype html><script>localStorage.setItem('from worker', location.href)</script>";
    event.respondWith(new Response(answer, { headers: { "content-type": "text/html" } }));
  };`;

/** A real browser whose control connection serves all sites and records the requests. */
export class StateBrowser {
  readonly connection: Connection;
  /** URLs requested from the network. */
  readonly requests: string[] = [];
  readonly #browserId: string;

  private constructor(connection: Connection, browserId: string) {
    this.connection = connection;
    this.#browserId = browserId;
  }

  static async launch(): Promise<StateBrowser> {
    const browserId = await acquireBrowser(env.BROWSER, 60_000);
    const browser = new StateBrowser(await openControlConnection(env.BROWSER, browserId), browserId);
    await browser.#serve();
    return browser;
  }

  async openPage(url: string, browserContextId?: string): Promise<ClientPage> {
    const { connection } = this;
    const { targetId } = await connection.send("Target.createTarget", {
      url: "about:blank",
      browserContextId,
    });
    const page = await ClientPage.of(await attachSession(connection, targetId), targetId);
    await page.visit(url);
    return page;
  }

  async close(): Promise<void> {
    await closeBrowser(env.BROWSER, this.#browserId);
    this.connection.dispose();
  }

  async #serve(): Promise<void> {
    const { connection, requests } = this;
    connection.on("Fetch.requestPaused", ({ requestId, request: { url } }) => {
      requests.push(url);
      const isScript = url.endsWith("/service-worker.js");
      const fulfilled = connection.send("Fetch.fulfillRequest", {
        requestId,
        responseCode: 200,
        responseHeaders: [
          { name: "content-type", value: isScript ? "text/javascript" : "text/html; charset=utf-8" },
        ],
        body: btoa(
          isScript ? SERVICE_WORKER : `<!doctype html><title>Site</title><link rel="icon" href="data:,">`,
        ),
      });
      fulfilled.catch(() => undefined);
    });
    await connection.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
  }
}
