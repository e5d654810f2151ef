import type { TimeSlice } from "../time-slice.ts";
import { CHUNK_BYTES, STEPS_A_CHUNK } from "./contents.ts";
import type { Inode } from "./inodes.ts";
import type { Volume } from "./volume.ts";

/** Most files are small, and to make a large buffer takes longer than to write them. */
const FIRST_BUFFER_BYTES = 4096;

/**
 * Content that comes piece by piece and belongs to no file yet. Of more than a chunk, what has come is with an orphan,
 * so that little is held in memory, and a crash leaves nothing.
 */
export class IncomingContent {
  readonly #volume: Volume;
  readonly #slice: TimeSlice;
  #buffer = new Uint8Array(FIRST_BUFFER_BYTES);
  #buffered = 0;
  #orphan: Inode | undefined;

  constructor(volume: Volume, slice: TimeSlice) {
    this.#volume = volume;
    this.#slice = slice;
  }

  /** In bytes. */
  get size(): number {
    return (this.#orphan?.size ?? 0) + this.#buffered;
  }

  /** @throws Refusal ENOSPC */
  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength; ) {
      const piece = bytes.subarray(at, at + CHUNK_BYTES - this.#buffered);
      this.#keep(piece);
      at += piece.byteLength;
      if (this.#buffered < CHUNK_BYTES) continue;
      this.#store();
      await this.#slice.step(STEPS_A_CHUNK);
    }
  }

  /** Puts it in the place of all that a file holds. To be run in a transaction, at the end. */
  putInto(file: Inode, mode: number): void {
    const rest = this.#buffer.subarray(0, this.#buffered);
    if (this.#orphan === undefined) this.#volume.replace(file, rest, mode);
    else this.#volume.replaceByOrphan(file, this.#volume.appendToOrphan(this.#orphan, rest), mode);
  }

  /** To be called when it is with its file, or not wanted. */
  letGo(): void {
    if (this.#orphan !== undefined) this.#volume.letGo(this.#orphan.inode);
  }

  #keep(piece: Uint8Array): void {
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
    const orphan = this.#orphan ?? this.#createOrphan();
    const chunk = this.#buffer.subarray(0, this.#buffered);
    this.#orphan = this.#volume.transact(() => this.#volume.appendToOrphan(orphan, chunk));
    this.#buffered = 0;
  }

  #createOrphan(): Inode {
    const orphan = this.#volume.transact(() => this.#volume.createOrphan());
    this.#volume.hold(orphan.inode);
    this.#orphan = orphan;
    return orphan;
  }
}
