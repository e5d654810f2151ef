const PREFIX = "browser/";

export interface BrowserRecord {
  browserId: string;
  /** The session that it was launched for or handed to; of a standby browser, an id that no session has. */
  sessionId: string;
  organizationId: string;
  kind: "session" | "pool" | "standby";
  /**
   * `ready`: a standby browser that waits for a session; `closing`: until the platform says that it is gone.
   */
  state: "used" | "ready" | "closing";
  /** When it was launched or handed to its session, in milliseconds since the epoch. */
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

  /** Hands the oldest ready browser to a session. @returns its id; undefined if there is none. */
  takeReady(
    { sessionId, organizationId, kind }: Pick<BrowserRecord, "sessionId" | "organizationId" | "kind">,
    launchedAt: number,
  ): string | undefined {
    const [oldest] = this.list("ready");
    const user = { sessionId, organizationId, kind, launchedAt };
    if (oldest !== undefined) this.#put({ ...oldest, ...user, state: "used" });
    return oldest?.browserId;
  }

  /** @returns false if the browser is closing or gone. */
  mark(browserId: string, state: "ready" | "closing"): boolean {
    const record = this.#records.get(browserId);
    if (record === undefined || record.state === "closing") return false;
    this.#put({ ...record, state });
    return true;
  }

  remove(browserId: string): void {
    this.#records.delete(browserId);
    this.#kv.delete(PREFIX + browserId);
  }

  /** Oldest first. */
  list(state?: BrowserRecord["state"]): BrowserRecord[] {
    return [...this.#records.values()]
      .filter((record) => state === undefined || record.state === state)
      .sort((one, other) => one.launchedAt - other.launchedAt);
  }

  #put(record: BrowserRecord): void {
    this.#records.set(record.browserId, record);
    this.#kv.put(PREFIX + record.browserId, record);
  }
}
