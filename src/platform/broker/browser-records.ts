const PREFIX = "browser/";
const UNUSED = "unused-standby-ms";

/** What one session counts of it at most, because other organizations may have caused it. */
const MAX_UNUSED_MS = 600_000;

export interface BrowserRecord {
  browserId: string;
  /** The session that it was launched for or handed to; of a standby browser, an id that no session has. */
  sessionId: string;
  organizationId: string;
  kind: "session" | "pool" | "standby";
  /**
   * `ready`: a standby browser that waits for a session; `ending`: its session has ended, but still needs it;
   * `closing`: until the platform says it is gone.
   */
  state: "used" | "ready" | "ending" | "closing";
  /** When it was launched, handed to its session, or that session ended, in milliseconds since the epoch. */
  launchedAt: number;
}

/** The browsers that a broker has launched and that are not gone, in memory and in its storage. */
export class BrowserRecords {
  readonly #kv: SyncKvStorage;
  readonly #records: Map<string, BrowserRecord>;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
    const stored = [...kv.list<BrowserRecord>({ prefix: PREFIX })];
    this.#records = new Map(stored.map(([, record]) => [record.browserId, record]));
  }

  /** Does nothing if the browser is recorded. */
  add(record: BrowserRecord): void {
    if (!this.#records.has(record.browserId)) this.#put(record);
  }

  /**
   * Hands the oldest ready browser to a session.
   *
   * @returns its id, and how long it has waited with those that were closed unused before; undefined if there
   * is none.
   */
  takeReady(
    { sessionId, organizationId, kind }: Pick<BrowserRecord, "sessionId" | "organizationId" | "kind">,
    launchedAt: number,
  ): { browserId: string; standbyMs: number } | undefined {
    const [oldest] = this.list("ready");
    if (oldest === undefined) return undefined;
    this.#put({ ...oldest, sessionId, organizationId, kind, launchedAt, state: "used" });
    const unusedMs = Math.min(this.#unusedMs, MAX_UNUSED_MS);
    if (unusedMs > 0) this.#kv.put(UNUSED, this.#unusedMs - unusedMs);
    return { browserId: oldest.browserId, standbyMs: unusedMs + launchedAt - oldest.launchedAt };
  }

  /** @returns false if the browser is closing or gone. */
  mark(browserId: string, state: "ready" | "closing"): boolean {
    const record = this.#records.get(browserId);
    if (record === undefined || record.state === "closing") return false;
    if (record.state === "ready") this.#kv.put(UNUSED, this.#unusedMs + Date.now() - record.launchedAt);
    this.#put({ ...record, state });
    return true;
  }

  /** Notes that the session of a browser has ended. */
  endSession(sessionId: string, now: number): void {
    for (const record of this.list("used")) {
      if (record.sessionId === sessionId) this.#put({ ...record, state: "ending", launchedAt: now });
    }
  }

  remove(browserId: string): void {
    this.#records.delete(browserId);
    this.#kv.delete(PREFIX + browserId);
  }

  /** Oldest first. @param states absent: in any state. */
  list(...states: BrowserRecord["state"][]): BrowserRecord[] {
    return [...this.#records.values()]
      .filter(({ state }) => states.length === 0 || states.includes(state))
      .sort((one, other) => one.launchedAt - other.launchedAt);
  }

  get #unusedMs(): number {
    return this.#kv.get<number>(UNUSED) ?? 0;
  }

  #put(record: BrowserRecord): void {
    this.#records.set(record.browserId, record);
    this.#kv.put(PREFIX + record.browserId, record);
  }
}
