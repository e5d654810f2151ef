import { env } from "cloudflare:workers";
import { afterAll } from "vitest";
import { type Command, FakeBrowser } from "./browser.ts";

const MAX_KEEP_ALIVE_MS = 600_000;

/** How the platform answers instead of serving a request, as in an outage or at a limit. */
export type Refusal = (request: { method: string; path: string }) => Response | undefined;

/**
 * The BROWSER binding with browsers that cost nothing: it keeps the platform's books and refuses what the platform
 * refuses; what its browsers do is {@link FakeBrowser}'s.
 */
export class FakeBrowserBinding {
  /** Ids of every browser that was ever launched, in order. */
  readonly launched: string[] = [];
  /** Ids of the browsers that live now. */
  readonly living = new Set<string>();
  /** Ids of the browsers that were asked to close, in order. */
  readonly closed: string[] = [];
  /** Commands that came over all sockets, in order. */
  readonly commands: Command[] = [];
  /** Methods of commands that every browser answers with an error. */
  readonly failingMethods = new Set<string>();
  refusal: Refusal | undefined;
  /** Whether the pages of browsers to come show nothing at first. */
  areSlow = false;
  /** Awaited before each launch. */
  launchGate: Promise<void> = Promise.resolve();
  /** Awaited before each socket is opened. */
  socketGate: Promise<void> = Promise.resolve();
  readonly #browsers = new Map<string, FakeBrowser>();

  async fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const { method } = request;
    const refused = this.refusal?.({ method, path: url.pathname });
    if (refused !== undefined) return refused;
    if (method === "POST" && url.pathname === "/v1/devtools/browser") return this.#launch(url);
    if (method === "GET" && url.pathname === "/v1/sessions") return this.#list();
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

  /** A browser of the account that lives without having been launched here. */
  adopt(id: string): void {
    this.living.add(id);
  }

  /** The browser dies and its sockets break. Call it inside the object that holds the sockets. */
  kill(id: string): void {
    this.living.delete(id);
    this.browser(id).disconnect();
  }

  /** What is behind a browser's sockets. */
  browser(id: string): FakeBrowser {
    const browser =
      this.#browsers.get(id) ??
      new FakeBrowser((command) => this.commands.push(command), this.failingMethods);
    this.#browsers.set(id, browser);
    return browser;
  }

  async #launch(url: URL): Promise<Response> {
    const keepAlive = Number(url.searchParams.get("keep_alive") ?? 60_000);
    if (!(keepAlive > 0 && keepAlive <= MAX_KEEP_ALIVE_MS)) {
      return Response.json({ error: "keep_alive is out of range" }, { status: 400 });
    }
    await this.launchGate;
    const id = crypto.randomUUID();
    this.launched.push(id);
    this.living.add(id);
    this.browser(id).isSlow = this.areSlow;
    return Response.json({ sessionId: id });
  }

  #list(): Response {
    return Response.json({ sessions: [...this.living].map((sessionId) => ({ sessionId, startTime: 1 })) });
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

/** Puts fake browsers in the place of the real binding for the whole test file. */
export function useFakeBrowsers(): FakeBrowserBinding {
  const real = env.BROWSER;
  const fake = new FakeBrowserBinding();
  env.BROWSER = new Proxy(real, {
    get: (target, name) => (name === "fetch" ? fake.fetch.bind(fake) : Reflect.get(target, name)),
  });
  afterAll(() => {
    env.BROWSER = real;
  });
  return fake;
}
