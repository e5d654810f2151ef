import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { join } from "node:path";
import { DebuggingPorts } from "./debugging-ports.ts";
import { LocalBrowser, PortTakenError } from "./local-browser.ts";

/** What the platform allows an account on the paid plan. */
const MAX_BROWSERS = 200;
const RETRY_AFTER_SECONDS = 10;
const MAX_KEEP_ALIVE_MS = 600_000;

/** How late the platform's list of browsers knows of one that has started or ended. */
const LIST_LAG_MS = 1_000;

const BROWSER_PATH = /^\/v1\/devtools\/browser\/([^/]+)(\/.*)?$/;
const DOCUMENT_PATH = /^\/json\/(version|list|protocol)$/;
const ADDRESS_PATH = /^(?:\/page\/([^/]+))?\/address$/;

interface Answer {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
}

/** Another service of this machine may choose the same port at the same time. */
const PORT_ATTEMPTS = 5;

const LIMIT_REACHED: Answer = {
  status: 429,
  body: { error: "Browser limit reached" },
  headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
};

/**
 * The browsers of a local service, behind the HTTP interface that the platform's browser binding has.
 * It refuses and lags as the platform does.
 */
export class BrowserServer {
  /** A socket in the file system: pages of the browsers cannot reach it. */
  readonly socketPath: string;
  readonly #server: Server;
  readonly #executable: string;
  readonly #folder: string;
  readonly #browsers = new Map<string, LocalBrowser>();
  /** Ids as the platform's list shows them. */
  readonly #listed = new Map<string, number>();
  readonly #ports = new DebuggingPorts();
  #launching = 0;

  private constructor(executable: string, folder: string) {
    this.#executable = executable;
    this.#folder = folder;
    this.socketPath = join(folder, "browsers.sock");
    this.#server = createServer(async (request, response) => {
      const left = new AbortController();
      response.once("close", () => left.abort());
      const { status, body, headers } = await this.#answer(request, left.signal).catch(toFailure);
      response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
    });
  }

  /**
   * @param executable the Chrome to run.
   * @param folder for profiles and the socket; its path must be short, since a socket's has about 100 characters.
   */
  static async open(executable: string, folder: string): Promise<BrowserServer> {
    mkdirSync(folder, { recursive: true });
    const server = new BrowserServer(executable, folder);
    server.#server.listen(server.socketPath);
    await once(server.#server, "listening");
    return server;
  }

  /** Ends every browser. */
  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.all([...this.#browsers.values()].map((browser) => browser.close()));
  }

  /** @param left is aborted when the caller has left, or has its answer. */
  async #answer({ method, url = "" }: IncomingMessage, left: AbortSignal): Promise<Answer> {
    const { pathname, searchParams } = new URL(url, "http://browsers");
    if (method === "POST" && pathname === "/v1/devtools/browser")
      return this.#launch(Number(searchParams.get("keep_alive") ?? 0), left);
    if (method === "GET" && pathname === "/v1/sessions")
      return { status: 200, body: { sessions: this.#list() } };
    const [, id = "", rest = ""] = BROWSER_PATH.exec(pathname) ?? [];
    const browser = this.#browsers.get(decodeURIComponent(id));
    if (browser === undefined) return { status: 404, body: { error: "Browser not found" } };
    if (method === "DELETE" && rest === "") {
      // The platform's answer does not wait for the end either.
      void browser.close();
      return { status: 200, body: { status: "closing" } };
    }
    const document = DOCUMENT_PATH.exec(rest)?.[1];
    if (document !== undefined) return { status: 200, body: await browser.readDocument(document) };
    const page = ADDRESS_PATH.exec(rest);
    if (page === null) return { status: 404, body: { error: "Not found" } };
    return { status: 200, body: browser.socketURL(page[1] && decodeURIComponent(page[1])) };
  }

  async #launch(keepAliveMs: number, left: AbortSignal): Promise<Answer> {
    if (!(keepAliveMs >= 0 && keepAliveMs <= MAX_KEEP_ALIVE_MS))
      return { status: 400, body: { error: `keep_alive must be from 0 to ${MAX_KEEP_ALIVE_MS}` } };
    if (this.#browsers.size + this.#launching >= MAX_BROWSERS) return LIMIT_REACHED;
    this.#launching++;
    try {
      const browser = await this.#launchAtFreePort();
      if (browser === undefined) return LIMIT_REACHED;
      this.#browsers.set(browser.id, browser);
      const listing = setTimeout(() => this.#listed.set(browser.id, browser.startedAt), LIST_LAG_MS);
      void browser.ended.then(() => {
        this.#browsers.delete(browser.id);
        clearTimeout(listing);
        setTimeout(() => this.#listed.delete(browser.id), LIST_LAG_MS).unref();
      });
      // The caller never learns the id, so nobody else would close it.
      if (left.aborted) void browser.close();
      return { status: 200, body: { sessionId: browser.id } };
    } finally {
      this.#launching--;
    }
  }

  /** @returns undefined where no port is free. */
  async #launchAtFreePort(attempts = PORT_ATTEMPTS): Promise<LocalBrowser | undefined> {
    const port = await this.#ports.take();
    if (port === undefined) return undefined;
    try {
      return await LocalBrowser.launch({ executable: this.#executable, folder: this.#folder, port });
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempts === 1) throw error;
    } finally {
      this.#ports.release(port);
    }
    return this.#launchAtFreePort(attempts - 1);
  }

  #list(): { sessionId: string; startTime: number }[] {
    return [...this.#listed].map(([sessionId, startTime]) => ({ sessionId, startTime }));
  }
}

function toFailure(error: unknown): Answer {
  return { status: 500, body: { error: error instanceof Error ? error.message : String(error) } };
}
