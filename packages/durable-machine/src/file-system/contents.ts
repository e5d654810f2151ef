import type { Sql } from "./sql.ts";

/** A larger chunk needs fewer rows; a smaller one makes appends cheaper, because they rewrite a row. */
export const CHUNK_BYTES = 128 * 1024;

export const STEPS_PER_CHUNK = 10;

/** With 2^31 contents, all row numbers are safe integers. */
const CHUNKS_PER_CONTENT = 2 ** 22;

/** The bytes of files, in rows of one chunk each. Missing rows, and bytes after a row's end, are zeros. */
export class Contents {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  read(content: number, offset: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const start = (offset + at) % CHUNK_BYTES;
      const stored = this.chunk(content, Math.floor((offset + at) / CHUNK_BYTES));
      if (stored !== undefined) bytes.set(stored.subarray(start, start + length - at), at);
      at += CHUNK_BYTES - start;
    }
    return bytes;
  }

  chunk(content: number, chunk: number): Uint8Array<ArrayBuffer> | undefined {
    const query = "SELECT bytes FROM content_chunk WHERE id = ?";
    const [row] = this.#sql.exec<{ bytes: ArrayBuffer }>(query, rowOf(content, chunk)).toArray();
    return row && new Uint8Array(row.bytes);
  }

  write(content: number, offset: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength; ) {
      const chunk = Math.floor((offset + at) / CHUNK_BYTES);
      const start = (offset + at) % CHUNK_BYTES;
      const piece = bytes.subarray(at, at + CHUNK_BYTES - start);
      const old = piece.byteLength < CHUNK_BYTES ? this.chunk(content, chunk) : undefined;
      this.putChunk(content, chunk, start === 0 && old === undefined ? piece : merge(old, start, piece));
      at += piece.byteLength;
    }
  }

  putChunk(content: number, chunk: number, bytes: Uint8Array): void {
    const query = `INSERT INTO content_chunk (id, bytes) VALUES (?, ?)
      ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes`;
    this.#sql.exec(query, rowOf(content, chunk), bytes);
  }

  cut(content: number, length: number): void {
    const chunk = Math.floor(length / CHUNK_BYTES);
    const rest = length % CHUNK_BYTES;
    const last = rest === 0 ? undefined : this.chunk(content, chunk);
    if (last !== undefined && last.byteLength > rest) this.putChunk(content, chunk, last.subarray(0, rest));
    const query = "DELETE FROM content_chunk WHERE id >= ? AND id < ?";
    this.#sql.exec(query, rowOf(content, rest === 0 ? chunk : chunk + 1), rowOf(content + 1, 0));
  }
}

export function chunkCount(bytes: number): number {
  return Math.ceil(bytes / CHUNK_BYTES);
}

function rowOf(content: number, chunk: number): number {
  return content * CHUNKS_PER_CONTENT + chunk;
}

function merge(old: Uint8Array | undefined, start: number, piece: Uint8Array): Uint8Array {
  const merged = new Uint8Array(Math.max(old?.byteLength ?? 0, start + piece.byteLength));
  if (old !== undefined) merged.set(old);
  merged.set(piece, start);
  return merged;
}
