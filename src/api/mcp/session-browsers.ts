import { exports } from "cloudflare:workers";
import { z } from "zod";
import type { APIClient } from "./api-client.ts";
import { type PageConnection, PageWorker } from "./page-connection.ts";
import type { PageOutput } from "./page-schemas.ts";

/** If the MCP session is lost, its browser ends after being idle for this long. */
const BROWSER_TIMEOUT_SECONDS = 1200;

const browserSchema = z.object({ session_id: z.string(), cdp_ws_url: z.string() });

type Browser = z.infer<typeof browserSchema>;

interface OwnBrowser {
  read(): string | undefined;
  /** @returns false if the MCP session has ended. */
  write(id: string | undefined): boolean;
}

/** The browsers that an MCP session drives: its own, and others by their ids. */
export class SessionBrowsers {
  readonly #own: OwnBrowser;
  readonly #worker: PageWorker;
  #creating: Promise<Browser> | undefined;
  /** By session id or name, with "" for the MCP session's own browser. */
  readonly #connections = new Map<string, Promise<PageConnection>>();
  /** Ids of connections that were used since the last check. */
  readonly #used = new Set<string | undefined>();
  screenshot: PageOutput["image"];

  constructor(env: Env, mcpSession: string, own: OwnBrowser) {
    this.#own = own;
    this.#worker = new PageWorker(env, mcpSession);
  }

  /** The MCP session's own browser. It is created if there is none, or if it has ended. */
  async own(api: APIClient): Promise<Browser> {
    const id = this.#own.read();
    const found = id === undefined ? undefined : await get(api, id).catch(ignoreUnknown);
    if (found !== undefined) return found;
    // Concurrent calls share one browser, and the cancellation of one does not take it from the others.
    this.#creating ??= this.#create(api.uncancelled).finally(() => {
      this.#creating = undefined;
    });
    return this.#creating;
  }

  async closeOwn(api: APIClient): Promise<void> {
    const id = this.#own.read();
    if (id === undefined) return;
    // The answer may come before the connection hears of the end.
    this.#disconnect("", "the browser was closed");
    await api.fetch(`DELETE /browsers/${id}`).catch(ignoreUnknown);
    this.#own.write(undefined);
  }

  /** Runs a page tool in the MCP session's own browser, or in the browser of another session. */
  async drive(tool: string, input: object, sessionId: string | undefined, api: APIClient) {
    const connection = await this.#connection(api.uncancelled, sessionId);
    this.#used.add(sessionId);
    return connection.call({ tool, input }, api.signal);
  }

  /** Disconnects from browser sessions that are not used: a connection keeps a session from its timeout. */
  disconnectUnused(): void {
    for (const id of this.#connections.keys()) if (id !== "" && !this.#used.has(id)) this.#disconnect(id);
    this.#used.clear();
  }

  async close(): Promise<void> {
    for (const id of this.#connections.keys()) this.#disconnect(id);
    await this.#worker.retire();
  }

  #disconnect(sessionId: string, reason = "it was not used"): void {
    const connection = this.#connections.get(sessionId);
    this.#connections.delete(sessionId);
    connection?.then((opened) => opened.close(reason)).catch(() => undefined);
  }

  async #connection(api: APIClient, sessionId = ""): Promise<PageConnection> {
    const known = this.#connections.get(sessionId);
    const open = await known?.catch(() => undefined);
    if (open?.isOpen) return open;
    // Another call may have started connecting in the meantime.
    const other = this.#connections.get(sessionId);
    if (other !== undefined && other !== known) return other;
    const connecting = this.#connect(api, sessionId, open?.tab);
    this.#connections.set(sessionId, connecting);
    return connecting;
  }

  /** @param tab the current one of the connection before. */
  async #connect(api: APIClient, sessionId: string, tab: string | undefined): Promise<PageConnection> {
    const browser = sessionId === "" ? await this.own(api) : await get(api, sessionId);
    return this.#worker.connect({
      sessionId: browser.session_id,
      tab,
      browser: exports.PageBrowser({ props: { cdpURL: browser.cdp_ws_url } }),
    });
  }

  async #create(api: APIClient): Promise<Browser> {
    const json = { timeout_seconds: BROWSER_TIMEOUT_SECONDS, tags: { made_by: "mcp" } };
    const browser = await api.json("POST /browsers", browserSchema, { json });
    if (this.#own.write(browser.session_id)) return browser;
    await api.fetch(`DELETE /browsers/${browser.session_id}`);
    throw new Error("The MCP session has ended");
  }
}

/** The browser may have ended. */
function ignoreUnknown(error: unknown): undefined {
  if (!(error instanceof Error) || error.cause !== 404) throw error;
}

function get(api: APIClient, idOrName: string): Promise<Browser> {
  return api.json(`GET /browsers/${encodeURIComponent(idOrName)}`, browserSchema);
}
