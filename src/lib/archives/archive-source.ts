import { ArchiveError } from "./archive-error.ts";

export interface ArchiveSource {
  size: number;
  /** Returns fewer than `length` bytes only at the end of the archive. */
  read(offset: number, length: number): Uint8Array | Promise<Uint8Array>;
}

/** Reads little-endian numbers from part of an archive. */
export class ByteView {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  static async read(source: ArchiveSource, offset: number, length: number): Promise<ByteView> {
    const isInside = offset >= 0 && offset + length <= source.size;
    const bytes = isInside ? await source.read(offset, length) : new Uint8Array();
    if (bytes.length < length || !isInside)
      throw new ArchiveError("the zip is damaged: it points past its end");
    return new ByteView(bytes);
  }

  get length(): number {
    return this.bytes.length;
  }

  uint8(offset: number): number {
    return this.#view.getUint8(offset);
  }

  uint16(offset: number): number {
    return this.#view.getUint16(offset, true);
  }

  uint32(offset: number): number {
    return this.#view.getUint32(offset, true);
  }

  int32(offset: number): number {
    return this.#view.getInt32(offset, true);
  }

  bigUint64(offset: number): bigint {
    return this.#view.getBigUint64(offset, true);
  }

  uint64(offset: number): number {
    const value = this.bigUint64(offset);
    if (value > Number.MAX_SAFE_INTEGER)
      throw new ArchiveError("the zip is damaged: it has an impossible size");
    return Number(value);
  }

  slice(start: number, end: number): ByteView {
    return new ByteView(this.bytes.subarray(start, end));
  }
}
