import { env } from "cloudflare:workers";
import { afterAll, afterEach } from "vitest";
import { selectPage } from "../../scripts/local/browser-platform/list-page.ts";
import { type Command, FakeBrowser } from "./browser.ts";
import { connectWithinLimit } from "./connection-limit.ts";

const MAX_KEEP_ALIVE_MS = 1_200_000;

/** Returns a response to send instead of serving the request, as in an outage. */
export type Refusal = (request: { method: string; path: string; search: string }) => Response | undefined;

/** An in-memory BROWSER binding of {@link FakeBrowser}s: tracks sessions, and rejects like the platform. */
export class FakeBrowserBinding {
  /** Ids of all launched browsers, in order. */
  readonly launched: string[] = [];
  readonly living = new Set<string>();
  /** Ids of the browsers closed by request, in order. */
  readonly closed: string[] = [];
  /** By browser id, as in https://developers.cloudflare.com/browser-run/puppeteer/#list-recent-sessions. */
  readonly closeReasons = new Map<string, { closeReason?: number; closeReasonText?: string }>();
  /** Commands received over all sockets, in order. */
  readonly commands: Command[] = [];
  /** Methods that fail in every browser. */
  readonly failingMethods = new Set<string>();
  /** Methods that no browser answers. */
  readonly silentMethods = new Set<string>();
  refusal: Refusal | undefined;
  /** The platform's limits. By default there are none, because browsers of other files also count. */
  limits: { maxBrowsers: number; launchesPerSecond: number } = {
    maxBrowsers: 100_000,
    launchesPerSecond: 100_000,
  };
  /** When the last launches were, in milliseconds since the epoch. */
  #launchTimes: number[] = [];
  /** Makes browsers launched later {@link FakeBrowser.isSlow}. */
  areSlow = false;
  maxKeepAliveMs = MAX_KEEP_ALIVE_MS;
  /** Launches that have begun but not ended. */
  launching = 0;
  /** Awaited before each launch. */
  launchGate: Promise<void> = Promise.resolve();
  /** Awaited before each socket is opened. */
  socketGate: Promise<void> = Promise.resolve();
  readonly #browsers = new Map<string, FakeBrowser>();

  /** Ends all failures and delays; the limits stay. */
  recover(): void {
    this.failingMethods.clear();
    this.silentMethods.clear();
    this.refusal = undefined;
    this.areSlow = false;
    this.maxKeepAliveMs = MAX_KEEP_ALIVE_MS;
    this.launchGate = Promise.resolve();
    this.socketGate = Promise.resolve();
  }

  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    return connectWithinLimit(() => this.#answer(new Request(input, init)));
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const { method } = request;
    const refused = this.refusal?.({ method, path: url.pathname, search: url.search });
    if (refused !== undefined) return refused;
    if (method === "POST" && url.pathname === "/v1/devtools/browser") return this.#launch(url);
    if (method === "GET" && url.pathname === "/v1/sessions") return this.#list(url);
    if (method === "GET" && url.pathname === "/v1/limits") return this.#describeLimits();
    if (method === "GET" && url.pathname === "/v1/history") {
      const history = [...this.closeReasons].map(([sessionId, reason]) => ({
        sessionId,
        startTime: 1,
        ...reason,
      }));
      return Response.json({ history });
    }
    const session = /^\/v1\/devtools\/session\/([^/]+)$/.exec(url.pathname)?.[1];
    if (method === "GET" && session !== undefined) {
      const reason = this.closeReasons.get(session);
      const isKnown = reason !== undefined || this.living.has(session);
      return isKnown
        ? Response.json({ sessionId: session, startTime: 1, ...reason })
        : Response.json({ error: `Session ${session} not found` }, { status: 404 });
    }
    const path = /^\/v1\/devtools\/browser\/([^/]+)(\/.*)?$/.exec(url.pathname);
    if (path === null) return Response.json({ error: "no such route" }, { status: 404 });
    const [, id = "", rest = ""] = path;
    if (!this.living.has(id)) return Response.json({ error: `Session ${id} not found` }, { status: 404 });
    if (method === "DELETE" && rest === "") return this.#close(id);
    if (rest === "/json/version")
      return Response.json({ Browser: "Fake/1", webSocketDebuggerUrl: "ws://inside/" });
    if (rest === "/json/list") {
      const pages = this.browser(id).pages.map((page) => ({
        ...page,
        webSocketDebuggerUrl: `ws://inside/devtools/page/${page.id}`,
      }));
      return Response.json(pages);
    }
    if (request.headers.get("upgrade") === "websocket") {
      await this.socketGate;
      return this.#open(id, /^\/page\/([^/]+)$/.exec(rest)?.[1]);
    }
    return Response.json({ error: "not understood" }, { status: 400 });
  }

  /** Adds a running browser that was launched elsewhere. */
  adopt(id: string): void {
    this.living.add(id);
  }

  /** Crashes a browser. Call it inside the object that holds the sockets. */
  kill(id: string): void {
    this.living.delete(id);
    this.browser(id).disconnect();
  }

  browser(id: string): FakeBrowser {
    const browser =
      this.#browsers.get(id) ??
      new FakeBrowser((command) => this.commands.push(command), {
        failing: this.failingMethods,
        silent: this.silentMethods,
      });
    this.#browsers.set(id, browser);
    return browser;
  }

  async #launch(url: URL): Promise<Response> {
    const keepAlive = Number(url.searchParams.get("keep_alive") ?? 60_000);
    if (!(keepAlive > 0 && keepAlive <= this.maxKeepAliveMs)) {
      return Response.json({ error: "keep_alive is out of range" }, { status: 400 });
    }
    if (this.#allowedLaunches <= 0 || this.living.size >= this.limits.maxBrowsers) {
      return Response.json({ error: "limit" }, { status: 429, headers: { "retry-after": "1" } });
    }
    this.#launchTimes.push(Date.now());
    this.launching += 1;
    await this.launchGate;
    this.launching -= 1;
    const id = crypto.randomUUID();
    this.launched.push(id);
    this.living.add(id);
    this.browser(id).isSlow = this.areSlow;
    return Response.json({ sessionId: id });
  }

  get #allowedLaunches(): number {
    this.#launchTimes = this.#launchTimes.filter((at) => at > Date.now() - 1000);
    return this.limits.launchesPerSecond - this.#launchTimes.length;
  }

  #describeLimits(): Response {
    const allowed = this.#allowedLaunches;
    const [oldest = 0] = this.#launchTimes;
    return Response.json({
      activeSessions: [...this.living].map((id) => ({ id })),
      maxConcurrentSessions: this.limits.maxBrowsers,
      allowedBrowserAcquisitions: allowed,
      timeUntilNextAllowedBrowserAcquisition: allowed > 0 ? 0 : oldest + 1000 - Date.now(),
    });
  }

  #list({ searchParams }: URL): Response {
    const page = selectPage([...this.living], searchParams);
    if (page === undefined) return Response.json({ error: "out of range" }, { status: 400 });
    return Response.json({ sessions: page.map((sessionId) => ({ sessionId, startTime: 1 })) });
  }

  #close(id: string): Response {
    this.closed.push(id);
    this.kill(id);
    return Response.json({ status: "closed" });
  }

  #open(id: string, pageId: string | undefined): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    this.browser(id).connect(server, pageId);
    return new Response(null, { status: 101, webSocket: client });
  }
}

/** Replaces the BROWSER binding with fake browsers for the whole test file; they recover after each test. */
export function useFakeBrowsers(): FakeBrowserBinding {
  const real = env.BROWSER;
  const fake = new FakeBrowserBinding();
  env.BROWSER = new Proxy(real, {
    get: (target, name) => (name === "fetch" ? fake.fetch.bind(fake) : Reflect.get(target, name)),
  });
  afterEach(() => fake.recover());
  afterAll(() => {
    env.BROWSER = real;
  });
  return fake;
}
