import { once } from "node:events";
import { chmodSync, mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { Semaphore } from "../../../src/lib/common/semaphore.ts";
import { canSwitchUser, chromeUser } from "./chrome-user.ts";
import { selectPage } from "./list-page.ts";
import { LocalBrowser } from "./local-browser.ts";

/** Those of Cloudflare's paid plan. */
const PAID_PLAN = { maxBrowsers: 200, launchesPerSecond: 3 };

const SECOND_MS = 1000;

/** As https://developers.cloudflare.com/browser-run/reference/browser-binding-api/ documents it. */
const KEEP_ALIVE_MS = { min: 10_000, default: 60_000, max: 1_200_000 };

/** Cloudflare's list of browsers also lags. */
const LIST_LAG_MS = 1_000;

const BROWSER_PATH = /^\/v1\/devtools\/browser\/([^/]+)(\/.*)?$/;
const JSON_PATH = /^\/json\/(version|list|protocol)$/;
const SOCKET_PATH = /^(?:\/page\/([^/]+))?$/;

const SESSION_PATH = /^\/v1\/devtools\/session\/([^/]+)$/;

/** How many closed browsers the history keeps. */
const MAX_HISTORY = 100;

/** As https://developers.cloudflare.com/browser-run/puppeteer/#list-recent-sessions, in milliseconds. */
interface HistoryEntry {
  sessionId: string;
  startTime: number;
  endTime?: number;
  closeReason?: number;
  closeReasonText?: string;
}

/** The documentation names this reason, but no code for it. */
const CRASHED = { closeReasonText: "ChromiumCrashed" };
const CLOSED = { closeReason: 1, closeReasonText: "NormalClosure" };

interface Reply {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

/** Chrome's own words. */
const NO_SANDBOX = "No usable sandbox";

const NO_SOCKET = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

function refuse(status: number, error: string): Reply {
  return { status, body: { error } };
}

function limitReached(retryAfterSeconds: number): Reply {
  const headers = { "retry-after": String(retryAfterSeconds) };
  return { ...refuse(429, "Browser limit reached"), headers };
}

/** Serves local browsers over the HTTP interface of Cloudflare's binding, with its limits and delays. */
export class BrowserServer {
  /** A Unix socket, which pages cannot reach. */
  readonly socketPath: string;
  readonly #server: Server;
  readonly #executable: string;
  readonly #folder: string;
  readonly #browsers = new Map<string, LocalBrowser>();
  /** Start times by id, updated with a delay. */
  readonly #listed = new Map<string, number>();
  /** Closed browsers, oldest first. */
  readonly #closed: HistoryEntry[] = [];
  /** Ids of the browsers that are being closed by request. */
  readonly #closing = new Set<string>();
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #limits: typeof PAID_PLAN;
  readonly #switchesUser: boolean;
  /** Chrome has none as root, nor as another user where the kernel does not allow user namespaces. */
  #hasSandbox: boolean;
  /** A launch keeps a processor busy for most of its time. */
  readonly #launches = new Semaphore(availableParallelism());
  readonly #launching = new Set<Promise<LocalBrowser>>();
  #launched = 0;
  /** When the launches of the last second began. */
  #launchTimes: number[] = [];

  private constructor(executable: string, folder: string, limits: typeof PAID_PLAN) {
    this.#limits = limits;
    this.#executable = executable;
    this.#folder = folder;
    this.#switchesUser = canSwitchUser(executable, folder);
    this.#hasSandbox = this.#switchesUser || process.getuid?.() !== 0;
    this.socketPath = join(folder, "browsers.sock");
    this.#server = createServer(async (request, response) => {
      const disconnected = new AbortController();
      response.once("close", () => disconnected.abort());
      const { status, body, headers } = await this.#handle(request, disconnected.signal).catch(toErrorReply);
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
    this.#server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on("error", () => {});
      this.#openSocket(request, socket, head).catch(() => socket.end(NO_SOCKET));
    });
  }

  /** @param folder for profiles and the socket; a short path: sockets have at most about 100 characters. */
  static async open(executable: string, folder: string, limits = PAID_PLAN): Promise<BrowserServer> {
    mkdirSync(folder, { recursive: true });
    const server = new BrowserServer(executable, folder, limits);
    await once(server.#server.listen(server.socketPath), "listening");
    chmodSync(server.socketPath, 0o600);
    return server;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.allSettled(this.#launching);
    await Promise.all([...this.#browsers.values()].map((browser) => browser.close()));
  }

  /** @param disconnected aborts when the connection has closed. */
  async #handle({ method, url = "" }: IncomingMessage, disconnected: AbortSignal): Promise<Reply> {
    const { pathname, searchParams } = new URL(url, "http://browsers");
    if (method === "POST" && pathname === "/v1/devtools/browser")
      return this.#launch(Number(searchParams.get("keep_alive") ?? KEEP_ALIVE_MS.default), disconnected);
    if (method === "GET" && pathname === "/v1/sessions") {
      const sessions = selectPage(this.#list(), searchParams);
      if (sessions === undefined) return refuse(400, "limit or offset is out of range");
      return { status: 200, body: { sessions } };
    }
    if (method === "GET" && pathname === "/v1/limits") return { status: 200, body: this.#describeLimits() };
    if (method === "GET" && pathname === "/v1/history")
      return { status: 200, body: { history: this.#history } };
    const session = SESSION_PATH.exec(pathname)?.[1];
    if (method === "GET" && session !== undefined) {
      const entry = this.#history.find(({ sessionId }) => sessionId === decodeURIComponent(session));
      return entry ? { status: 200, body: entry } : refuse(404, "Session not found");
    }
    const [, id = "", rest = ""] = BROWSER_PATH.exec(pathname) ?? [];
    const browser = this.#browsers.get(decodeURIComponent(id));
    if (browser === undefined) return refuse(404, "Browser not found");
    if (method === "DELETE" && rest === "") {
      this.#closing.add(browser.id);
      // Like Cloudflare, responds without waiting for the end.
      void browser.close();
      return { status: 200, body: { status: "closing" } };
    }
    const resource = JSON_PATH.exec(rest)?.[1];
    if (resource !== undefined) return { status: 200, body: await browser.readDocument(resource) };
    return refuse(404, "Not found");
  }

  /** @throws Error when there is no such browser or page. */
  async #openSocket(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { pathname } = new URL(request.url ?? "", "http://browsers");
    const [, id = "", rest = ""] = BROWSER_PATH.exec(pathname) ?? [];
    const devTools = this.#browsers.get(decodeURIComponent(id))?.devTools;
    const path = SOCKET_PATH.exec(rest);
    if (devTools === undefined || path === null) throw new Error("There is no such browser");
    const page = path[1] && decodeURIComponent(path[1]);
    const session = await devTools.attach(page);
    if (socket.destroyed) return devTools.detach(session);
    socket.once("close", () => devTools.detach(session));
    this.#sockets.handleUpgrade(request, socket, head, (opened) => devTools.serve(opened, session, page));
  }

  async #launch(keepAliveMs: number, disconnected: AbortSignal): Promise<Reply> {
    const { min, max } = KEEP_ALIVE_MS;
    if (!(keepAliveMs >= min && keepAliveMs <= max))
      return refuse(400, `keep_alive must be from ${min} to ${max}`);
    if (this.#browsers.size + this.#launching.size >= this.#limits.maxBrowsers) return limitReached(10);
    if (this.#allowedLaunches === 0) return limitReached(1);
    this.#launchTimes.push(Date.now());
    const launching = this.#launches.run(() => {
      disconnected.throwIfAborted();
      return this.#launchChrome();
    });
    this.#launching.add(launching);
    try {
      const browser = await launching;
      this.#browsers.set(browser.id, browser);
      const listing = setTimeout(() => this.#listed.set(browser.id, browser.startedAt), LIST_LAG_MS);
      void browser.ended.then(() => {
        this.#browsers.delete(browser.id);
        this.#remember(browser);
        clearTimeout(listing);
        setTimeout(() => this.#listed.delete(browser.id), LIST_LAG_MS).unref();
      });
      // The client never receives the id, so nothing else would close the browser.
      if (disconnected.aborted) void browser.close();
      return { status: 200, body: { sessionId: browser.id } };
    } finally {
      this.#launching.delete(launching);
    }
  }

  #remember({ id: sessionId, startedAt: startTime }: LocalBrowser): void {
    const reason = this.#closing.delete(sessionId) ? CLOSED : CRASHED;
    this.#closed.push({ sessionId, startTime, endTime: Date.now(), ...reason });
    if (this.#closed.length > MAX_HISTORY) this.#closed.shift();
  }

  /** Newest first. */
  get #history(): HistoryEntry[] {
    const open = [...this.#browsers.values()].map(({ id, startedAt }) => ({
      sessionId: id,
      startTime: startedAt,
    }));
    return [...this.#closed, ...open].reverse();
  }

  async #launchChrome(): Promise<LocalBrowser> {
    const hasSandbox = this.#hasSandbox;
    const index = this.#launched++;
    const user = this.#switchesUser ? chromeUser(index) : undefined;
    const profile = join(this.#folder, String(index));
    try {
      return await LocalBrowser.launch({ executable: this.#executable, profile, user, hasSandbox });
    } catch (error) {
      if (!hasSandbox || user === undefined || !String(error).includes(NO_SANDBOX)) throw error;
      console.log("Chrome runs without its sandbox, because this machine allows it no user namespaces.");
      this.#hasSandbox = false;
      return await this.#launchChrome();
    }
  }

  get #allowedLaunches(): number {
    this.#launchTimes = this.#launchTimes.filter((at) => at > Date.now() - SECOND_MS);
    return Math.max(0, this.#limits.launchesPerSecond - this.#launchTimes.length);
  }

  #describeLimits(): object {
    const allowed = this.#allowedLaunches;
    const [oldest = 0] = this.#launchTimes;
    return {
      activeSessions: [...this.#browsers.keys()].map((id) => ({ id })),
      maxConcurrentSessions: this.#limits.maxBrowsers,
      allowedBrowserAcquisitions: allowed,
      timeUntilNextAllowedBrowserAcquisition: allowed > 0 ? 0 : oldest + SECOND_MS - Date.now(),
    };
  }

  #list(): { sessionId: string; startTime: number }[] {
    return [...this.#listed].map(([sessionId, startTime]) => ({ sessionId, startTime }));
  }
}

function toErrorReply(error: unknown): Reply {
  return refuse(500, error instanceof Error ? error.message : String(error));
}
