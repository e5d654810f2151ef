import type { TimeSlice } from "../time-slice.ts";
import { CHUNK_BYTES, chunkCount, STEPS_PER_CHUNK } from "./contents.ts";
import { Refusal } from "./file-error.ts";
import type { Inode } from "./inodes.ts";
import type { Volume } from "./volume.ts";

/** Most files are small, and a large buffer takes longer to make than they take to be written. */
const FIRST_BUFFER_BYTES = 4096;

const READ_BUFFER_BYTES = 64 * 1024;

/** Streams the content of a file. Until the stream ends or is cancelled, that content is kept. */
export function streamContent(volume: Volume, file: Inode, slice: TimeSlice): ReadableStream<Uint8Array> {
  const { content, size } = file;
  const chunks = chunkCount(size);
  let chunk = 0;
  const release = volume.hold(file);
  return new ReadableStream({
    type: "bytes",
    // The default is less than a chunk.
    autoAllocateChunkSize: CHUNK_BYTES,
    start(controller) {
      if (chunks > 0) return;
      release();
      controller.close();
    },
    async pull(controller) {
      await slice.step(STEPS_PER_CHUNK);
      try {
        // The storage may hold another file system by now.
        if (volume.isClosed) throw new Refusal("EIO");
        const offset = chunk * CHUNK_BYTES;
        controller.enqueue(volume.contents.read(content, offset, Math.min(CHUNK_BYTES, size - offset)));
      } catch (error) {
        release();
        throw error;
      }
      chunk += 1;
      if (chunk < chunks) return;
      release();
      controller.close();
    },
    cancel: release,
  });
}

/** Content that arrives in pieces. After the first chunk, it is kept in an orphan and not in memory. */
export class IncomingContent {
  readonly #volume: Volume;
  readonly #slice: TimeSlice;
  #buffer = new Uint8Array(FIRST_BUFFER_BYTES);
  #buffered = 0;
  #orphan: Inode | undefined;
  #releaseOrphan: (() => void) | undefined;

  constructor(volume: Volume, slice: TimeSlice) {
    this.#volume = volume;
    this.#slice = slice;
  }

  get size(): number {
    return (this.#orphan?.size ?? 0) + this.#buffered;
  }

  /** @throws Refusal ENOSPC */
  async readFrom(body: ReadableStream<Uint8Array>): Promise<void> {
    for await (const bytes of piecesOf(body)) {
      for (let at = 0; at < bytes.byteLength; ) {
        const piece = bytes.subarray(at, at + CHUNK_BYTES - this.#buffered);
        this.#append(piece);
        at += piece.byteLength;
        if (this.#buffered < CHUNK_BYTES) continue;
        this.#store();
        await this.#slice.step(STEPS_PER_CHUNK);
      }
    }
  }

  /** Replaces the content of a file, within a transaction. */
  putInto(file: Inode, mode: number): void {
    const rest = this.#buffer.subarray(0, this.#buffered);
    if (this.#orphan === undefined) this.#volume.replace(file, rest, mode);
    else this.#volume.replaceByOrphan(file, this.#volume.appendToOrphan(this.#orphan, rest), mode);
  }

  release(): void {
    this.#releaseOrphan?.();
  }

  #append(piece: Uint8Array): void {
    const size = this.#buffered + piece.byteLength;
    if (size > this.#buffer.byteLength) {
      const larger = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(size, 2 * this.#buffer.byteLength)));
      larger.set(this.#buffer.subarray(0, this.#buffered));
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#buffered);
    this.#buffered = size;
  }

  #store(): void {
    if (this.#orphan === undefined) {
      this.#orphan = this.#volume.transact(() => this.#volume.createOrphan());
      this.#releaseOrphan = this.#volume.hold(this.#orphan);
    }
    const orphan = this.#orphan;
    const chunk = this.#buffer.subarray(0, this.#buffered);
    this.#orphan = this.#volume.transact(() => this.#volume.appendToOrphan(orphan, chunk));
    this.#buffered = 0;
  }
}

/**
 * The pieces of a stream, each valid until the next one. They share one buffer, since the platform's own pieces of
 * 4 KiB leave more garbage behind than a large upload may take of memory.
 */
async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = byteReader(body);
  if (reader === undefined) {
    yield* body;
    return;
  }
  let isOver = false;
  let buffer = new ArrayBuffer(READ_BUFFER_BYTES);
  try {
    while (true) {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done || value === undefined) break;
      yield value;
      buffer = value.buffer;
    }
    isOver = true;
  } finally {
    if (!isOver) void reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

/** @returns undefined if it is not a byte stream. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}
