import {
  acquireBrowser,
  type Connection,
  closeBrowser,
  openControlConnection,
  PrivateContexts,
} from "../browser/index.ts";
import { logError } from "../common/log.ts";

/** The platform's default, so that a browser that nobody closes does not live long. */
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

export interface ProbeOptions {
  /** URL of a proxy, with credentials if it needs them. */
  proxy?: string;
  /** How long a long check runs. */
  seconds: number;
}

interface Parts {
  env: Env;
  facets: DurableObjectFacets;
  options: ProbeOptions;
  /** Called with the ids of the open browsers after each change. */
  onBrowsers: (ids: string[]) => void;
}

/** What a check may use. It owns the browsers that it launches, counts paid units, and closes everything. */
export class ProbeContext {
  readonly env: Env;
  readonly facets: DurableObjectFacets;
  readonly options: ProbeOptions;
  readonly cost = { ...NO_COST };
  readonly #onBrowsers: (ids: string[]) => void;
  readonly #launched = new Map<string, number>();
  readonly #connections: Connection[] = [];
  #isClosed = false;

  constructor({ env, facets, options, onBrowsers }: Parts) {
    this.env = env;
    this.facets = facets;
    this.options = options;
    this.#onBrowsers = onBrowsers;
  }

  /** @throws BrowserUnavailableError */
  async launch(): Promise<string> {
    const id = await acquireBrowser(this.env.BROWSER, KEEP_ALIVE_MS);
    this.#launched.set(id, Date.now());
    this.cost.browsers += 1;
    this.#onBrowsers(this.openBrowsers);
    // Its time was over before it came.
    if (this.#isClosed) await this.#closeBrowser(id);
    return id;
  }

  /** @throws BrowserUnavailableError */
  async open(): Promise<{ connection: Connection; contexts: PrivateContexts }> {
    const connection = await openControlConnection(this.env.BROWSER, await this.launch());
    this.#connections.push(connection);
    return { connection, contexts: new PrivateContexts(connection) };
  }

  get openBrowsers(): string[] {
    return [...this.#launched.keys()];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.dispose();
    await Promise.all(this.openBrowsers.map((id) => this.#closeBrowser(id)));
  }

  /** The object closes again what could not be closed. */
  async #closeBrowser(id: string): Promise<void> {
    try {
      await closeBrowser(this.env.BROWSER, id);
    } catch (error) {
      logError("probe_browser_not_closed", error);
      return;
    }
    this.cost.browser_seconds += Math.ceil((Date.now() - (this.#launched.get(id) ?? Date.now())) / 1000);
    this.#launched.delete(id);
    this.#onBrowsers(this.openBrowsers);
  }
}
