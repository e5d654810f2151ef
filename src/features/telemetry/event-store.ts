import { logError } from "../../lib/common/log.ts";
import type { EventReader } from "../../lib/http/event-log.ts";
import type { NumberedEvent, TelemetryEvent } from "./event.ts";
import type { EventBatch, EventSource } from "./event-pages.ts";

/** Each batch is one billed row. */
const WRITE_INTERVAL_MS = 1000;
const WATCHED_WRITE_INTERVAL_MS = 100;

/** A row holds at most 2 MB. */
const MAX_PENDING_LENGTH = 256 * 1024;

const MAX_STORED_LENGTH = 16 * 1024 * 1024;

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS telemetry (
  first INTEGER PRIMARY KEY, last INTEGER NOT NULL, earliest INTEGER NOT NULL, latest INTEGER NOT NULL, events TEXT NOT NULL)`;

type BatchRow = EventBatch & Record<string, number>;

/**
 * The events of a session in its object's storage. They are written in batches, so a crash loses those of the
 * last second. When the storage is full, the oldest are dropped.
 */
export class EventStore implements EventSource {
  readonly #sql: SqlStorage;
  readonly #onDropped: (count: number) => void;
  #pending: NumberedEvent[] = [];
  #lines: string[] = [];
  #pendingLength = 0;
  #storedLength = 0;
  #lastSeq: number | undefined;
  #readers = 0;
  #timer: number | null = null;
  #isEnded = false;
  #changed = Promise.withResolvers<void>();

  /** @param onDropped is called with the number of events that were dropped. */
  constructor(storage: DurableObjectStorage, onDropped: (count: number) => void) {
    this.#sql = storage.sql;
    this.#onDropped = onDropped;
  }

  /** @returns undefined when the session has ended. */
  append(event: TelemetryEvent): NumberedEvent | undefined {
    if (this.#isEnded) return undefined;
    if (this.lastSeq === 0) this.#sql.exec(CREATE_TABLE);
    this.#lastSeq = this.lastSeq + 1;
    const item = { seq: this.#lastSeq, event };
    const line = `${JSON.stringify(item)}\n`;
    this.#pending.push(item);
    this.#lines.push(line);
    this.#pendingLength += line.length;
    if (this.#pendingLength >= MAX_PENDING_LENGTH) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#interval);
    return item;
  }

  /** Writes the pending events. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
    const [first] = this.#pending;
    if (first === undefined) return;
    const times = this.#pending.map(({ event }) => event.ts);
    const batch = {
      first: first.seq,
      last: this.lastSeq,
      earliest: Math.min(...times),
      latest: Math.max(...times),
    };
    try {
      this.#write(batch, this.#lines.join(""));
      this.#storedLength += this.#pendingLength;
    } catch (error) {
      // The session continues without these events. Their numbers are missing.
      logError("events_not_stored", error);
    }
    this.#pending = [];
    this.#lines = [];
    this.#pendingLength = 0;
    this.#notify();
    this.#dropOldest();
  }

  list(): EventBatch[] {
    this.flush();
    if (this.lastSeq === 0) return [];
    return this.#sql
      .exec<BatchRow>("SELECT first, last, earliest, latest FROM telemetry ORDER BY first")
      .toArray();
  }

  /** @returns nothing for a batch that was dropped meanwhile. */
  read({ first }: EventBatch): NumberedEvent[] {
    return this.readLines(first)
      .split("\n")
      .filter((line) => line !== "")
      .map((line): NumberedEvent => JSON.parse(line));
  }

  /** The events of a batch as lines of JSON. */
  readLines(first: number): string {
    const [row] = this.#sql.exec<{ events: string }>("SELECT events FROM telemetry WHERE first = ?", first);
    return row?.events ?? "";
  }

  /** Number of the last event; 0: there is none. */
  get lastSeq(): number {
    this.#lastSeq ??= this.#readLastSeq();
    return this.#lastSeq;
  }

  /** Reads the events after a number, then new ones, until the session ends. */
  follow(after: number): EventReader<NumberedEvent> {
    const closed = Promise.withResolvers<void>();
    let isClosed = false;
    let batch: NumberedEvent[] = [];
    let last = after;
    this.#readers += 1;
    const next = async (): Promise<NumberedEvent | undefined> => {
      while (!isClosed) {
        const event = batch.shift();
        if (event !== undefined) return event;
        const changed = this.#changed.promise;
        this.flush();
        batch = this.#after(last);
        last = batch.at(-1)?.seq ?? last;
        if (batch.length > 0) continue;
        if (this.#isEnded) return undefined;
        await Promise.race([changed, closed.promise]);
      }
      return undefined;
    };
    const close = () => {
      if (isClosed) return;
      isClosed = true;
      this.#readers -= 1;
      closed.resolve();
    };
    return { next, close };
  }

  /** Writes what is pending. Readers end after it, and nothing follows. */
  end(): void {
    this.flush();
    this.#isEnded = true;
    this.#notify();
  }

  clear(): void {
    this.#sql.exec("DROP TABLE IF EXISTS telemetry");
    this.#lastSeq = 0;
  }

  /** After a restart, numbering continues. Sessions without events have no table. */
  #readLastSeq(): number {
    const tables = this.#sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'telemetry'").toArray();
    if (tables.length === 0) return 0;
    const { last, length } = this.#sql
      .exec<{ last: number; length: number }>(
        "SELECT coalesce(max(last), 0) AS last, coalesce(sum(length(events)), 0) AS length FROM telemetry",
      )
      .one();
    this.#storedLength = length;
    return last;
  }

  #write({ first, last, earliest, latest }: EventBatch, lines: string): void {
    this.#sql.exec("INSERT INTO telemetry VALUES (?, ?, ?, ?, ?)", first, last, earliest, latest, lines);
  }

  #after(seq: number): NumberedEvent[] {
    if (this.lastSeq === 0) return [];
    const [batch] = this.#sql
      .exec<BatchRow>(
        "SELECT first, last, earliest, latest FROM telemetry WHERE last > ? ORDER BY first LIMIT 1",
        seq,
      )
      .toArray();
    return batch === undefined ? [] : this.read(batch).filter((event) => event.seq > seq);
  }

  #dropOldest(): void {
    let dropped = 0;
    while (this.#storedLength > MAX_STORED_LENGTH) {
      const { first, last, length } = this.#sql
        .exec<{ first: number; last: number; length: number }>(
          "SELECT first, last, length(events) AS length FROM telemetry ORDER BY first LIMIT 1",
        )
        .one();
      this.#sql.exec("DELETE FROM telemetry WHERE first = ?", first);
      this.#storedLength -= length;
      dropped += last - first + 1;
    }
    if (dropped > 0) this.#onDropped(dropped);
  }

  get #interval(): number {
    return this.#readers > 0 ? WATCHED_WRITE_INTERVAL_MS : WRITE_INTERVAL_MS;
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
