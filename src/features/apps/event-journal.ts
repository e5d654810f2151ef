import { resolveWithin } from "../../lib/common/concurrency.ts";
import type { EventReader } from "../../lib/http/event-log.ts";
import { MAX_LINE_LENGTH, truncate } from "../../platform/dynamic-workers/index.ts";

/** Some clients treat 3 s without an event as the end of the log. */
const HEARTBEAT_MS = 15_000;

const MAX_LINES = 1000;

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS events (
  number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, line TEXT, event TEXT)`;

export interface LoggedLine {
  /** Milliseconds since the epoch. */
  at: number;
  text: string;
}

export type JournalEntry<T> =
  | ({ type: "line" } & LoggedLine)
  | { type: "event"; at: number; event: T }
  | { type: "heartbeat"; at: number };

function toGapEntry(at: number, deletedCount: number) {
  return { type: "line" as const, at, text: `… ${deletedCount} earlier lines are not kept` };
}

/** Events and log lines in a Durable Object's storage: all events, but only the last lines. */
export class EventJournal<T extends object> {
  readonly #sql: SqlStorage;
  #changed = Promise.withResolvers<void>();
  #isEnded = false;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
  }

  record(event: T, at = Date.now()): void {
    this.#sql.exec(CREATE_TABLE);
    this.#sql.exec("INSERT INTO events (at, event) VALUES (?, ?)", at, JSON.stringify(event));
    this.#notify();
  }

  log(lines: LoggedLine[]): void {
    if (lines.length === 0) return;
    this.#sql.exec(CREATE_TABLE);
    for (const { at, text } of lines.slice(-MAX_LINES)) {
      this.#sql.exec("INSERT INTO events (at, line) VALUES (?, ?)", at, truncate(text, MAX_LINE_LENGTH));
    }
    this.#sql.exec(
      `DELETE FROM events WHERE line IS NOT NULL AND number <=
        (SELECT number FROM events WHERE line IS NOT NULL ORDER BY number DESC LIMIT 1 OFFSET ?)`,
      MAX_LINES,
    );
    this.#notify();
  }

  end(): void {
    this.#isEnded = true;
    this.#notify();
  }

  /** @returns when the oldest remaining line was logged, in milliseconds since the epoch. */
  deleteLinesBefore(time: number): number | undefined {
    this.#sql.exec(CREATE_TABLE);
    this.#sql.exec("DELETE FROM events WHERE line IS NOT NULL AND at < ?", time);
    const { oldest } = this.#sql
      .exec<{ oldest: number | null }>("SELECT min(at) AS oldest FROM events WHERE line IS NOT NULL")
      .one();
    return oldest ?? undefined;
  }

  /** Past entries, then new ones. Needs an entry to exist. @param since milliseconds since the epoch. */
  read(since = 0): EventReader<JournalEntry<T>> {
    const closed = Promise.withResolvers<void>();
    let isClosed = false;
    let number = since > 0 ? this.#lastBefore(since) : 0;
    const next = async (): Promise<JournalEntry<T> | undefined> => {
      while (!isClosed) {
        const changed = this.#changed.promise;
        const [row] = this.#rowsAfter(number);
        if (row !== undefined) {
          const deletedCount = row.number - number - 1;
          number = deletedCount > 0 ? row.number - 1 : row.number;
          return deletedCount > 0 ? toGapEntry(row.at, deletedCount) : this.#toEntry(row);
        }
        if (this.#isEnded) return undefined;
        const hasChanged = await resolveWithin(
          Promise.race([changed, closed.promise]).then(() => true),
          HEARTBEAT_MS,
        );
        if (!hasChanged) return { type: "heartbeat", at: Date.now() };
      }
      return undefined;
    };
    const close = () => {
      isClosed = true;
      closed.resolve();
    };
    return { next, close };
  }

  /** Lines come in batches from several sources, so times can decrease. */
  #lastBefore(since: number): number {
    const { last } = this.#sql
      .exec<{ last: number }>(
        `SELECT coalesce((SELECT min(number) FROM events WHERE at >= ?) - 1, (SELECT max(number) FROM events), 0) AS last`,
        since,
      )
      .one();
    return last;
  }

  #rowsAfter(number: number) {
    return this.#sql.exec<{ number: number; at: number; line: string | null; event: string | null }>(
      "SELECT * FROM events WHERE number > ? ORDER BY number LIMIT 1",
      number,
    );
  }

  #toEntry({ at, line, event }: { at: number; line: string | null; event: string | null }): JournalEntry<T> {
    if (line !== null) return { type: "line", at, text: line };
    // Written by record().
    return { type: "event", at, event: JSON.parse(event ?? "{}") as T };
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
