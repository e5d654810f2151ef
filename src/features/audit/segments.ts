import { gunzipText } from "../../lib/common/gzip.ts";

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

/** About this many are in a file, or are read at once. */
export const MAX_ENTRIES = 5000;

/** An RPC message has at most 32 MiB. */
const MAX_LENGTH = 4 * 1024 * 1024;

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS segments (
  first INTEGER PRIMARY KEY, last INTEGER NOT NULL, day TEXT NOT NULL, earliest INTEGER NOT NULL, latest INTEGER NOT NULL,
  hash TEXT NOT NULL, lines TEXT)`;

/** The table of an organization's segments. It exists once there has been a segment. */
export class SegmentTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  insert({ first, last, day, earliest, latest, hash, lines }: Segment): void {
    this.#sql.exec(CREATE_TABLE);
    const values = [first, last, day, earliest, latest, hash, lines];
    this.#sql.exec("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?)", ...values);
  }

  remove({ first, last }: Segment): void {
    this.#sql.exec("DELETE FROM segments WHERE first >= ? AND last <= ?", first, last);
  }

  /** The first segments of a day after an entry, merged into one, at most as many entries as fit a file. */
  mergedAfter(sequence: number): (Segment & { lines: string }) | undefined {
    const { day = "" } = this.first("first > ? ORDER BY first", sequence) ?? {};
    const rows = this.list("day = ? AND first > ? ORDER BY first", day, sequence);
    const [oldest, newest] = [rows[0], rows.at(-1)];
    if (oldest === undefined || newest === undefined) return undefined;
    const earliest = Math.min(...rows.map((row) => row.earliest));
    const latest = Math.max(...rows.map((row) => row.latest));
    const lines = rows.map((row) => row.lines).join("");
    return { ...newest, first: oldest.first, earliest, latest, lines };
  }

  first(condition: string, ...values: SqlStorageValue[]): Segment | undefined {
    return this.list(`${condition} LIMIT 1`, ...values)[0];
  }

  /** Segments in order, until there are enough for a file or an answer. */
  list(condition: string, ...values: SqlStorageValue[]): Segment[] {
    const rows: Segment[] = [];
    let [entries, length] = [0, 0];
    for (const row of this.#sql.exec<SegmentRow>(`SELECT * FROM segments WHERE ${condition}`, ...values)) {
      rows.push(row);
      entries += row.last - row.first + 1;
      length += row.lines?.length ?? 0;
      if (entries >= MAX_ENTRIES || length > MAX_LENGTH) break;
    }
    return rows;
  }
}

export function filePrefix(organizationId: string): string {
  return `audit/${organizationId}/`;
}

export function fileKey(organizationId: string, { day, first }: Segment): string {
  return `${filePrefix(organizationId)}${day}/${String(first).padStart(12, "0")}.jsonl.gz`;
}

/** @returns the entries of a segment as lines of JSON; none when its file is gone or damaged. */
export async function readLines(env: Env, organizationId: string, segment: Segment): Promise<string[]> {
  const file = segment.lines === null ? await env.FILES.get(fileKey(organizationId, segment)) : null;
  const unzipped = file && (await gunzipText(new Uint8Array(await file.arrayBuffer())).catch(() => null));
  return (segment.lines ?? unzipped ?? "").split("\n").filter((line) => line !== "");
}
