import { logError } from "../../lib/common/log.ts";
import {
  acquireKeptBrowser,
  type Connection,
  closeBrowser,
  openControlConnection,
  PrivateContexts,
} from "../../platform/browser/index.ts";

/** The platform's default, so that a forgotten browser does not live long. */
export const KEEP_ALIVE_MS = 60_000;

/** In the units that Cloudflare bills. Writes of R2 are class A operations, reads are class B. */
export const NO_COST = {
  browsers: 0,
  browser_seconds: 0,
  d1_rows_read: 0,
  d1_rows_written: 0,
  r2_writes: 0,
  r2_reads: 0,
  dynamic_workers: 0,
};

const BROWSERS_KEY = "browsers";

export interface ProbeOptions {
  /** URL of a proxy, with credentials if it needs them. */
  proxy?: string;
  /** How long a long check runs. */
  seconds: number;
}

/** The browsers of an object's checks, including lost checks, with their launch times. */
export function openBrowsers({ kv }: DurableObjectStorage): Record<string, number> {
  return kv.get<Record<string, number>>(BROWSERS_KEY) ?? {};
}

/** What a check may use. It owns the browsers that it launches, counts paid units, and closes everything. */
export class ProbeContext {
  readonly env: Env;
  readonly options: ProbeOptions;
  readonly cost: typeof NO_COST;
  readonly facets: DurableObjectFacets;
  readonly #storage: DurableObjectStorage;
  readonly #connections: Connection[] = [];
  #isClosed = false;

  constructor(
    env: Env,
    { facets, storage }: DurableObjectState,
    options: ProbeOptions,
    cost = { ...NO_COST },
  ) {
    this.env = env;
    this.options = options;
    this.cost = cost;
    this.facets = facets;
    this.#storage = storage;
  }

  /** @throws BrowserUnavailableError, KeepAliveRefusedError */
  async launch(keepAliveMs = KEEP_ALIVE_MS): Promise<string> {
    const id = await acquireKeptBrowser(this.env.BROWSER, keepAliveMs);
    this.#storage.kv.put(BROWSERS_KEY, { ...openBrowsers(this.#storage), [id]: Date.now() });
    this.cost.browsers += 1;
    // The check's time was up before the browser arrived.
    if (this.#isClosed) await this.#close(id, Date.now());
    return id;
  }

  /** @throws BrowserUnavailableError */
  async open(): Promise<{ connection: Connection; contexts: PrivateContexts }> {
    const connection = await this.connect(await this.launch());
    return { connection, contexts: new PrivateContexts(connection) };
  }

  /** @throws BrowserUnavailableError */
  async connect(browserId: string, pageId?: string): Promise<Connection> {
    const connection = await openControlConnection(this.env.BROWSER, browserId, pageId);
    this.#connections.push(connection);
    return connection;
  }

  /** Closes all browsers of the object, whose alarm retries what fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.dispose();
    const closing = Object.entries(openBrowsers(this.#storage)).map(([id, since]) => this.#close(id, since));
    await Promise.all(closing);
  }

  async #close(id: string, launchedAt: number): Promise<void> {
    try {
      await closeBrowser(this.env.BROWSER, id);
    } catch (error) {
      logError("probe_browser_not_closed", error);
      return;
    }
    this.cost.browser_seconds += Math.ceil((Date.now() - launchedAt) / 1000);
    const { [id]: _, ...others } = openBrowsers(this.#storage);
    this.#storage.kv.put(BROWSERS_KEY, others);
  }
}
