import { env } from "cloudflare:workers";
import { afterAll, inject } from "vitest";
import { z } from "zod";

const launchedSchema = z.object({ id: z.string(), host: z.string(), path: z.string() });

/** A BROWSER binding with Chromiums that load extensions, unlike wrangler's. */
class LoadingChromiums {
  readonly #launcher = inject("chromiumLauncher");
  readonly #launched = new Map<string, z.infer<typeof launchedSchema>>();

  async fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    if (pathname === "/v1/sessions") {
      return Response.json({ sessions: [...this.#launched.keys()].map((sessionId) => ({ sessionId })) });
    }
    const [, id, rest = ""] = /^\/v1\/devtools\/browser(?:\/([^/]+)(\/.*)?)?$/.exec(pathname) ?? [];
    if (id === undefined) return this.#launch();
    const browser = this.#launched.get(id);
    if (browser === undefined) return Response.json({ error: `Session ${id} not found` }, { status: 404 });
    if (request.method === "DELETE") return this.#close(id);
    if (rest.startsWith("/json/")) return fetch(`http://${browser.host}${rest}`);
    const path = rest === "" ? browser.path : `/devtools${rest}`;
    return fetch(`http://${browser.host}${path}`, { headers: { upgrade: "websocket" } });
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#launched.keys()].map((id) => this.#close(id)));
  }

  async #launch(): Promise<Response> {
    const response = await fetch(this.#launcher, { method: "POST" });
    if (!response.ok) throw new Error(await response.text());
    const browser = launchedSchema.parse(await response.json());
    this.#launched.set(browser.id, browser);
    return Response.json({ sessionId: browser.id });
  }

  async #close(id: string): Promise<Response> {
    this.#launched.delete(id);
    await fetch(`${this.#launcher}/${id}`, { method: "DELETE" });
    return Response.json({ status: "closed" });
  }
}

/** Replaces the BROWSER binding with Chromiums that load extensions for the whole test file. */
export function useLoadingChromiums(): void {
  const real = env.BROWSER;
  const chromiums = new LoadingChromiums();
  env.BROWSER = new Proxy(real, {
    get: (target, name) => (name === "fetch" ? chromiums.fetch.bind(chromiums) : Reflect.get(target, name)),
  });
  afterAll(async () => {
    env.BROWSER = real;
    await chromiums.closeAll();
  });
}
