import type { Link } from "./chain.ts";

/** Consecutive entries that were recorded on one day: lines in the object's storage, or a file. */
export interface Segment {
  first: number;
  last: number;
  /** UTC, such as `2026-01-02`. */
  day: string;
  /** Times of calls, in milliseconds since the epoch. */
  earliest: number;
  latest: number;
  /** Hash of the last entry. */
  hash: string;
  /** Null: they are in a file. */
  lines: string | null;
}

type SegmentRow = Segment & Record<string, SqlStorageValue>;

/** About as many are in a file. */
export const ENTRIES_PER_FILE = 5000;

const MAX_ROWS = 1000;

/** An RPC message has at most 32 MiB. */
const MAX_LENGTH = 4 * 1024 * 1024;

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS segments (
  first INTEGER PRIMARY KEY, last INTEGER NOT NULL, day TEXT NOT NULL, earliest INTEGER NOT NULL, latest INTEGER NOT NULL,
  hash TEXT NOT NULL, lines TEXT)`;

/** The table of an organization's segments. */
export class SegmentTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  create(): void {
    this.#sql.exec(CREATE_TABLE);
  }

  insert({ first, last, day, earliest, latest, hash, lines }: Segment): void {
    const values = [first, last, day, earliest, latest, hash, lines];
    this.#sql.exec("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?)", ...values);
  }

  remove({ first, last }: Segment): void {
    this.#sql.exec("DELETE FROM segments WHERE first >= ? AND last <= ?", first, last);
  }

  /** Segments that may have calls of a time range, newest first, from before an entry. */
  listBefore(sequence: number, { start, end }: { start: number; end: number }): Segment[] {
    const condition = "WHERE first < ? AND latest >= ? AND earliest < ? ORDER BY first DESC";
    return this.#read(condition, sequence, start, end);
  }

  /** Segments of a day, oldest first, from after an entry. */
  listDay(day: string, after: number): Segment[] {
    return this.#read("WHERE day = ? AND last > ? ORDER BY first", day, after);
  }

  /** Where the chain of {@link listDay} begins; undefined: at the beginning of the table. */
  startOfDay(day: string, after: number): Link | undefined {
    const before = this.#first("WHERE day < ? OR last <= ? ORDER BY first DESC", day, after);
    return before && { sequence: before.last, hash: before.hash };
  }

  /** The last entry of a day; undefined: that of the table. */
  lastOfDay(day: string): number | undefined {
    const next = this.#first("WHERE day > ? ORDER BY first", day);
    return next && next.first - 1;
  }

  /** What should become a file, until it has: as many entries as a file holds, or the rest of a day that is over. */
  *dueForFile(today: string): Generator<{ segment: Segment; lines: string }> {
    for (;;) {
      const [first, ...rows] = this.#oldestLines();
      if (first === undefined) return;
      const last = rows.at(-1) ?? first;
      if (first.day === today && last.last - first.first + 1 < ENTRIES_PER_FILE) return;
      const earliest = Math.min(first.earliest, ...rows.map((row) => row.earliest));
      const latest = Math.max(first.latest, ...rows.map((row) => row.latest));
      const segment = { ...first, last: last.last, earliest, latest, hash: last.hash, lines: null };
      yield { segment, lines: [first, ...rows].map(({ lines }) => lines).join("") };
    }
  }

  /** The oldest segment, until it is removed, while its calls were before a time. */
  *expired(before: number): Generator<Segment> {
    for (;;) {
      const oldest = this.#first("ORDER BY first");
      if (oldest === undefined || oldest.latest >= before) return;
      yield oldest;
    }
  }

  /** The oldest rows that are not in a file, of one day, and not more than a file holds. */
  #oldestLines(): Segment[] {
    const rows: Segment[] = [];
    for (const row of this.#sql.exec<SegmentRow>(
      "SELECT * FROM segments WHERE lines IS NOT NULL ORDER BY first",
    )) {
      const [oldest = row] = rows;
      if (row.day !== oldest.day) break;
      rows.push(row);
      if (row.last - oldest.first + 1 >= ENTRIES_PER_FILE) break;
    }
    return rows;
  }

  #first(condition: string, ...values: SqlStorageValue[]): Segment | undefined {
    return this.#sql.exec<SegmentRow>(`SELECT * FROM segments ${condition} LIMIT 1`, ...values).toArray()[0];
  }

  /** Stops when there is enough for one answer. */
  #read(condition: string, ...values: SqlStorageValue[]): Segment[] {
    const rows: Segment[] = [];
    let length = 0;
    for (const row of this.#sql.exec<SegmentRow>(
      `SELECT * FROM segments ${condition} LIMIT ${MAX_ROWS}`,
      ...values,
    )) {
      rows.push(row);
      length += row.lines?.length ?? 0;
      if (length > MAX_LENGTH) break;
    }
    return rows;
  }
}
