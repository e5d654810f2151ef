import { z } from "zod";

const recordSchema = z.object({
  browserId: z.string(),
  /** The name of its account; see `accountNames`. */
  account: z.string(),
  /** The session that it was launched for or handed to; of a standby browser, an id that no session has. */
  sessionId: z.string(),
  organizationId: z.string(),
  kind: z.enum(["session", "pool", "standby"]),
  /** `ready`: a standby browser that waits for a session; `closing`: until the platform says that it is gone. */
  state: z.enum(["used", "ready", "closing"]),
  /** When it was launched or handed to its session, in milliseconds since the epoch. */
  launchedAt: z.number(),
});

export type BrowserRecord = z.infer<typeof recordSchema>;

/** To whom a browser is handed. */
export type BrowserUser = Pick<BrowserRecord, "sessionId" | "organizationId" | "kind">;

const COLUMNS = `browser_id AS browserId, account, session_id AS sessionId, organization_id AS organizationId, kind, state,
  launched_at AS launchedAt`;

/** The browsers that a broker has launched and that are not gone, in its storage. */
export class BrowserRecords {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS browsers (
      browser_id TEXT PRIMARY KEY, account TEXT NOT NULL, session_id TEXT NOT NULL, organization_id TEXT NOT NULL,
      kind TEXT NOT NULL, state TEXT NOT NULL, launched_at INTEGER NOT NULL)`);
    sql.exec("CREATE INDEX IF NOT EXISTS browsers_of_session ON browsers (session_id)");
    sql.exec("CREATE INDEX IF NOT EXISTS browsers_of_organization ON browsers (organization_id)");
  }

  /** Does nothing if the browser is recorded. */
  add(record: BrowserRecord): void {
    const { browserId, account, sessionId, organizationId, kind, state, launchedAt } = record;
    const values = [browserId, account, sessionId, organizationId, kind, state, launchedAt];
    this.#sql.exec("INSERT OR IGNORE INTO browsers VALUES (?, ?, ?, ?, ?, ?, ?)", ...values);
  }

  /** Hands the oldest ready browser to a session. @returns its id; undefined if there is none. */
  takeReady({ sessionId, organizationId, kind }: BrowserUser, now: number): string | undefined {
    const [taken] = this.#sql
      .exec<{ id: string }>(
        `UPDATE browsers SET state = 'used', session_id = ?, organization_id = ?, kind = ?, launched_at = ?
          WHERE browser_id = (SELECT browser_id FROM browsers WHERE state = 'ready' ORDER BY launched_at, rowid LIMIT 1)
          RETURNING browser_id AS id`,
        ...[sessionId, organizationId, kind, now],
      )
      .toArray();
    return taken?.id;
  }

  /** @returns false if the browser is closing or gone. */
  markReady(browserId: string): boolean {
    const update = "UPDATE browsers SET state = 'ready' WHERE browser_id = ? AND state = 'used'";
    return this.#sql.exec(update, browserId).rowsWritten > 0;
  }

  markClosing(browserId: string): void {
    this.#sql.exec("UPDATE browsers SET state = 'closing' WHERE browser_id = ?", browserId);
  }

  remove(browserId: string): void {
    this.#sql.exec("DELETE FROM browsers WHERE browser_id = ?", browserId);
  }

  /** Oldest first. */
  list(state?: BrowserRecord["state"]): BrowserRecord[] {
    return state === undefined ? this.#select("") : this.#select("WHERE state = ?", state);
  }

  /** Browsers that a session uses. */
  ofSession(sessionId: string): BrowserRecord[] {
    return this.#select("WHERE session_id = ? AND state = 'used'", sessionId);
  }

  /** Sessions of an organization outside of pools that have a browser. */
  countSessions(organizationId: string): number {
    const where = "organization_id = ? AND kind = 'session' AND state = 'used'";
    return Number(
      this.#sql.exec(`SELECT count(*) AS n FROM browsers WHERE ${where}`, organizationId).one().n,
    );
  }

  /** The number of browsers by the name of their account. */
  countByAccount(): Map<string, number> {
    const counts = this.#sql.exec("SELECT account, count(*) AS n FROM browsers GROUP BY account").toArray();
    return new Map(counts.map(({ account, n }) => [String(account), Number(n)]));
  }

  #select(where: string, ...values: SqlStorageValue[]): BrowserRecord[] {
    const query = `SELECT ${COLUMNS} FROM browsers ${where} ORDER BY launched_at, rowid`;
    return recordSchema.array().parse(this.#sql.exec(query, ...values).toArray());
  }
}
