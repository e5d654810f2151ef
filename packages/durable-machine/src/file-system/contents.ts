import type { Sql } from "./sql.ts";

/** Bytes of a row: large enough for few rows, small enough that an append, which writes its row anew, stays cheap. */
export const CHUNK_BYTES = 128 * 1024;

/** What reading or writing a chunk is worth beside an ordinary step of long work. */
export const STEPS_A_CHUNK = 10;

/** Row numbers that a content has for its own; with 2^31 contents they fit in what a number holds exactly. */
const CHUNKS_PER_CONTENT = 2 ** 22;

type ChunkRow = { id: number; bytes: ArrayBuffer };

/** Where bytes are in a content: in which chunk, and where in it. */
interface ChunkPart {
  chunk: number;
  start: number;
  /** Where they are among the bytes asked for. */
  at: number;
  length: number;
}

/**
 * The bytes of files, in rows. What has no row, or is behind a row's end, is zeros. The content a row belongs to and
 * its place there are one number, which is the table's own key: a row is one write, and a content lies together.
 */
export class Contents {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  createTable(): void {
    this.#sql.exec("CREATE TABLE IF NOT EXISTS content_chunk (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)");
  }

  /** Bytes that are there by the caller's knowledge. */
  read(content: number, offset: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    if (length === 0) return bytes;
    const rows = this.#sql.exec<ChunkRow>(
      "SELECT id, bytes FROM content_chunk WHERE id BETWEEN ? AND ?",
      rowOf(content, Math.floor(offset / CHUNK_BYTES)),
      rowOf(content, Math.floor((offset + length - 1) / CHUNK_BYTES)),
    );
    for (const row of rows) {
      const position = (row.id - rowOf(content, 0)) * CHUNK_BYTES - offset;
      const from = Math.max(0, -position);
      const to = Math.min(row.bytes.byteLength, length - position);
      if (to > from) bytes.set(new Uint8Array(row.bytes).subarray(from, to), position + from);
    }
    return bytes;
  }

  /** A row's bytes. */
  chunk(content: number, chunk: number): Uint8Array<ArrayBuffer> | undefined {
    const [row] = this.#sql
      .exec<{ bytes: ArrayBuffer }>("SELECT bytes FROM content_chunk WHERE id = ?", rowOf(content, chunk))
      .toArray();
    return row && new Uint8Array(row.bytes);
  }

  write(content: number, offset: number, bytes: Uint8Array): void {
    for (const { chunk, start, at, length } of partsOf(offset, bytes.byteLength)) {
      const piece = bytes.subarray(at, at + length);
      const isWhole = length === CHUNK_BYTES;
      const old = isWhole ? undefined : this.chunk(content, chunk);
      this.putChunk(content, chunk, start === 0 && old === undefined ? piece : merge(old, start, piece));
    }
  }

  putChunk(content: number, chunk: number, bytes: Uint8Array): void {
    this.#sql.exec(
      "INSERT INTO content_chunk (id, bytes) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes",
      rowOf(content, chunk),
      bytes,
    );
  }

  /** Removes what is behind a length. */
  cut(content: number, length: number): void {
    const chunk = Math.floor(length / CHUNK_BYTES);
    const rest = length % CHUNK_BYTES;
    const last = rest === 0 ? undefined : this.chunk(content, chunk);
    if (last !== undefined && last.byteLength > rest) this.putChunk(content, chunk, last.subarray(0, rest));
    this.#deleteRows(rowOf(content, rest === 0 ? chunk : chunk + 1), rowOf(content + 1, 0));
  }

  /** @returns how many bytes its rows had. */
  remove(content: number): number {
    return this.#removeRows(rowOf(content, 0), rowOf(content + 1, 0));
  }

  /** Removes every content of a negative number. @returns how many bytes its rows had. */
  removeNegative(): number {
    return this.#removeRows(Number.MIN_SAFE_INTEGER, 0);
  }

  #removeRows(from: number, to: number): number {
    const query =
      "SELECT COALESCE(SUM(LENGTH(bytes)), 0) AS bytes FROM content_chunk WHERE id >= ? AND id < ?";
    const [row] = this.#sql.exec<{ bytes: number }>(query, from, to).toArray();
    if (row === undefined || row.bytes === 0) return 0;
    this.#deleteRows(from, to);
    return row.bytes;
  }

  #deleteRows(from: number, to: number): void {
    this.#sql.exec("DELETE FROM content_chunk WHERE id >= ? AND id < ?", from, to);
  }
}

/** How many chunks so many bytes take. */
export function chunkCount(bytes: number): number {
  return Math.ceil(bytes / CHUNK_BYTES);
}

function rowOf(content: number, chunk: number): number {
  return content * CHUNKS_PER_CONTENT + chunk;
}

function* partsOf(offset: number, length: number): Generator<ChunkPart> {
  let at = 0;
  while (at < length) {
    const chunk = Math.floor((offset + at) / CHUNK_BYTES);
    const start = (offset + at) % CHUNK_BYTES;
    const part = { chunk, start, at, length: Math.min(CHUNK_BYTES - start, length - at) };
    yield part;
    at += part.length;
  }
}

function merge(old: Uint8Array | undefined, start: number, piece: Uint8Array): Uint8Array {
  const merged = new Uint8Array(Math.max(old?.byteLength ?? 0, start + piece.byteLength));
  if (old !== undefined) merged.set(old);
  merged.set(piece, start);
  return merged;
}
