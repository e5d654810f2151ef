import type { TimeSlice } from "../time-slice.ts";
import { CHUNK_BYTES, chunkCount, STEPS_PER_CHUNK } from "./contents.ts";
import { Refusal } from "./file-error.ts";
import type { Inode } from "./inodes.ts";
import type { Volume } from "./volume.ts";

const FIRST_BUFFER_BYTES = 4096;
const READ_BUFFER_BYTES = 64 * 1024;

/** Keeps the content of the file until the stream ends or is cancelled. */
export function streamContent(volume: Volume, file: Inode, slice: TimeSlice): ReadableStream<Uint8Array> {
  const { content, size } = file;
  const chunks = chunkCount(size);
  let chunk = 0;
  const release = volume.hold(file);
  return new ReadableStream({
    type: "bytes",
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
        const length = Math.min(CHUNK_BYTES, size - offset);
        const stored = volume.contents.chunk(content, chunk);
        const isWhole = stored?.byteLength === length;
        controller.enqueue(isWhole ? stored : volume.contents.read(content, offset, length));
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

/** Content that arrives as a stream. An orphan keeps all but its last chunk. */
export class IncomingContent {
  readonly #volume: Volume;
  #orphan: Inode | undefined;
  #releaseOrphan: (() => void) | undefined;
  #rest = new Uint8Array();

  constructor(volume: Volume) {
    this.#volume = volume;
  }

  get size(): number {
    return (this.#orphan?.size ?? 0) + this.#rest.byteLength;
  }

  async readFrom(body: ReadableStream<Uint8Array>, slice: TimeSlice): Promise<void> {
    for await (const chunk of chunksOf(body)) {
      if (chunk.byteLength < CHUNK_BYTES) {
        this.#rest = chunk;
      } else {
        this.#store(chunk);
        await slice.step(STEPS_PER_CHUNK);
      }
    }
  }

  /** Must run in a transaction. */
  putInto(file: Inode, mode: number): void {
    if (this.#orphan === undefined) this.#volume.replace(file, this.#rest, mode);
    else this.#volume.replaceByOrphan(file, this.#volume.appendToOrphan(this.#orphan, this.#rest), mode);
  }

  release(): void {
    this.#releaseOrphan?.();
  }

  #store(chunk: Uint8Array): void {
    if (this.#orphan === undefined) {
      this.#orphan = this.#volume.transact(() => this.#volume.createOrphan());
      this.#releaseOrphan = this.#volume.hold(this.#orphan);
    }
    const orphan = this.#orphan;
    this.#orphan = this.#volume.transact(() => this.#volume.appendToOrphan(orphan, chunk));
  }
}

/** The chunks of a stream, each valid until the next one. All but the last are full. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let buffer = new Uint8Array(FIRST_BUFFER_BYTES);
  let size = 0;
  for await (const bytes of readInChunks(body)) {
    for (let at = 0; at < bytes.byteLength; ) {
      const piece = bytes.subarray(at, at + CHUNK_BYTES - size);
      const filled = size + piece.byteLength;
      // The buffer grows, because a whole chunk makes copies of small files a tenth slower.
      if (filled > buffer.byteLength) {
        const capacity = Math.min(CHUNK_BYTES, Math.max(filled, 4 * buffer.byteLength));
        buffer = new Uint8Array(buffer.buffer.transfer(capacity));
      }
      buffer.set(piece, size);
      size = filled;
      at += piece.byteLength;
      if (size < CHUNK_BYTES) continue;
      yield buffer;
      size = 0;
    }
  }
  yield buffer.subarray(0, size);
}

/** Each piece is valid until the next. A shared buffer avoids the garbage of the platform's 4 KiB pieces. */
async function* readInChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = byteReader(body);
  if (reader === undefined) {
    yield* body;
    return;
  }
  let buffer = new ArrayBuffer(READ_BUFFER_BYTES);
  try {
    while (true) {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done) return;
      yield value;
      buffer = value.buffer;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}
