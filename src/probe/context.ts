import {
  acquireBrowser,
  type Connection,
  closeBrowser,
  openControlConnection,
  PrivateContexts,
} from "../browser/index.ts";
import { logError } from "../common/log.ts";
import type { ProbeCost } from "../database/schema/capabilities.ts";

/** The platform's shortest default. The alarm closes browsers that a crash leaves, so that none lives longer. */
export const KEEP_ALIVE_MS = 60_000;

export interface ProbeOptions {
  /** URL of a proxy, with credentials if it needs them. */
  proxy?: string;
  /** How long a long check runs. */
  seconds: number;
}

export const NO_COST: ProbeCost = {
  browsers: 0,
  browserSeconds: 0,
  d1RowsRead: 0,
  d1RowsWritten: 0,
  r2Writes: 0,
  r2Reads: 0,
  dynamicWorkers: 0,
};

/** What a check may use. It owns the browsers that it launches, counts paid units, and closes everything. */
export class ProbeContext {
  readonly env: Env;
  readonly facets: DurableObjectFacets;
  readonly options: ProbeOptions;
  readonly cost: ProbeCost = { ...NO_COST };
  readonly #onBrowsers: (ids: string[]) => void;
  readonly #launched = new Map<string, number>();
  readonly #connections: Connection[] = [];
  #isClosed = false;

  /** @param onBrowsers called with the ids of the open browsers after each change. */
  constructor(
    { env, facets }: { env: Env; facets: DurableObjectFacets },
    options: ProbeOptions,
    onBrowsers: (ids: string[]) => void,
  ) {
    this.env = env;
    this.facets = facets;
    this.options = options;
    this.#onBrowsers = onBrowsers;
  }

  /** @throws BrowserUnavailableError, also after {@link close}. */
  async launch(): Promise<string> {
    const id = await acquireBrowser(this.env.BROWSER, KEEP_ALIVE_MS);
    this.#launched.set(id, Date.now());
    this.cost.browsers += 1;
    this.#onBrowsers(this.openBrowsers);
    if (this.#isClosed) await this.#closeBrowser(id);
    return id;
  }

  async connect(browserId: string): Promise<Connection> {
    const connection = await openControlConnection(this.env.BROWSER, browserId);
    if (this.#isClosed) connection.dispose();
    this.#connections.push(connection);
    return connection;
  }

  async open(): Promise<{ id: string; connection: Connection; contexts: PrivateContexts }> {
    const id = await this.launch();
    const connection = await this.connect(id);
    return { id, connection, contexts: new PrivateContexts(connection) };
  }

  /** Ids of the browsers that are not closed. */
  get openBrowsers(): string[] {
    return [...this.#launched.keys()];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.dispose();
    await Promise.all(this.openBrowsers.map((id) => this.#closeBrowser(id)));
  }

  async #closeBrowser(id: string): Promise<void> {
    try {
      await closeBrowser(this.env.BROWSER, id);
    } catch (error) {
      // Its id is kept, so that the alarm tries again.
      logError("probe_browser_not_closed", error);
      return;
    }
    this.cost.browserSeconds += Math.ceil((Date.now() - (this.#launched.get(id) ?? Date.now())) / 1000);
    this.#launched.delete(id);
    this.#onBrowsers(this.openBrowsers);
  }
}
