import { CHUNK_BYTES, type Contents, chunkCount } from "./contents.ts";

/** A content as it was when somebody began to read it. */
export interface Snapshot {
  content: number;
  size: number;
  /** Where chunks are kept that have been written over since: a content of a negative number. */
  kept: number;
}

/**
 * Lets what is being read be written meanwhile. A content that somebody reads is not removed, and what is written
 * over in it is kept for them. Who reads is known only in memory, as nobody reads on after a restart.
 */
export class Snapshots {
  readonly #contents: Contents;
  readonly #take: (bytes: number) => void;
  readonly #snapshots = new Set<Snapshot>();
  #begun = 0;

  /** @param take counts bytes against the quota, or gives them back where they are negative. */
  constructor(contents: Contents, take: (bytes: number) => void) {
    this.#contents = contents;
    this.#take = take;
  }

  /** Begins to read a content. To be given to `end` when no more is read. */
  begin(content: number, size: number): Snapshot {
    this.#begun += 1;
    const snapshot = { content, size, kept: -this.#begun };
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  /** Ends the reading, within a transaction. Once is enough, more does no harm. */
  end(snapshot: Snapshot): void {
    this.#snapshots.delete(snapshot);
    this.#take(-this.#contents.remove(snapshot.kept));
  }

  isRead(content: number): boolean {
    for (const snapshot of this.#snapshots) if (snapshot.content === content) return true;
    return false;
  }

  /** A chunk as it was at the beginning; empty behind the end. */
  read({ content, kept, size }: Snapshot, chunk: number): Uint8Array<ArrayBuffer> {
    const length = Math.max(0, Math.min(CHUNK_BYTES, size - chunk * CHUNK_BYTES));
    const stored = this.#contents.chunk(kept, chunk) ?? this.#contents.chunk(content, chunk);
    if (stored?.byteLength === length) return stored;
    const bytes = new Uint8Array(length);
    if (stored !== undefined) bytes.set(stored.subarray(0, length));
    return bytes;
  }

  /** Keeps what a write between two offsets is about to change under those who read it. */
  preserve(content: number, from: number, to: number): void {
    for (const snapshot of this.#snapshots) {
      if (snapshot.content !== content || from >= snapshot.size) continue;
      const end = chunkCount(Math.min(to, snapshot.size));
      for (let chunk = Math.floor(from / CHUNK_BYTES); chunk < end; chunk += 1) this.#keep(snapshot, chunk);
    }
  }

  /** Removes what an object that crashed has kept for its readers. */
  removeLeftovers(): void {
    this.#take(-this.#contents.removeNegative());
  }

  #keep({ content, kept }: Snapshot, chunk: number): void {
    if (this.#contents.chunk(kept, chunk) !== undefined) return;
    const bytes = this.#contents.chunk(content, chunk) ?? new Uint8Array();
    this.#take(bytes.byteLength);
    this.#contents.putChunk(kept, chunk, bytes);
  }
}
