import { type ByteSource, readFully } from "../byte-source.ts";
import {
  BLOCK_LENGTH,
  isZeroBlock,
  paddingOf,
  type RawHeader,
  readHeader,
  readPaxRecords,
  type TarMember,
  withPaxRecords,
} from "./tar-header.ts";

/** Names and other words about a member have no more bytes than this. */
const MOST_EXTRA_BYTES = 1024 * 1024;

const decoder = new TextDecoder();

/** What is read is no archive, or not all of one. */
export class TarFormatError extends Error {
  override readonly name = "TarFormatError";
  /** Whether nothing more can be done. */
  readonly isFatal: boolean;

  constructor(message: string, isFatal: boolean) {
    super(message);
    this.isFatal = isFatal;
  }
}

/** Reads an archive member by member. A member's content must be read before the next member, or is skipped. */
export class TarReader {
  readonly #source: ByteSource;
  #globalRecords = new Map<string, string>();
  /** Bytes of the archive that are read. */
  #position = 0;
  /** Bytes of the member's content that are not, and those of zeros behind it. */
  #left = 0;
  #padding = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Where the next header is, or the end; to be asked between members. */
  get position(): number {
    return this.#position + this.#left + this.#padding;
  }

  /** @returns undefined at the end. @throws TarFormatError */
  async next(): Promise<TarMember | undefined> {
    let name: string | undefined;
    let target: string | undefined;
    let records = new Map<string, string>();
    for (;;) {
      await this.#skipContent();
      const header = await this.#readHeader();
      if (header === undefined) return undefined;
      switch (header.letter) {
        case "L":
          name = await this.#readName(header);
          break;
        case "K":
          target = await this.#readName(header);
          break;
        case "x":
          records = readPaxRecords(await this.#readExtra(header));
          break;
        case "g":
          this.#globalRecords = new Map([
            ...this.#globalRecords,
            ...readPaxRecords(await this.#readExtra(header)),
          ]);
          break;
        default:
          return this.#begin(header, { name, target, records });
      }
    }
  }

  /** The next bytes of the member's content; none at its end. @throws TarFormatError */
  async read(length: number): Promise<Uint8Array> {
    const piece = await this.#source.read(Math.min(length, this.#left));
    if (piece.length === 0 && this.#left > 0) throw endTooSoon();
    this.#left -= piece.length;
    this.#position += piece.length;
    return piece;
  }

  #begin(
    header: RawHeader,
    extra: { name: string | undefined; target: string | undefined; records: Map<string, string> },
  ): TarMember {
    const named = { ...header, name: extra.name ?? header.name, target: extra.target ?? header.target };
    const { letter, ...member } = withPaxRecords(named, new Map([...this.#globalRecords, ...extra.records]));
    // Links have no content, whatever size stands there.
    const hasContent = member.type === "file" || member.type === "other";
    const size = hasContent ? member.size : 0;
    if (letter === "S") throw new TarFormatError(`${member.name}: sparse members are not supported`, true);
    this.#expect(size);
    return { ...member, size };
  }

  async #readHeader(): Promise<RawHeader | undefined> {
    const isFirst = this.#position === 0;
    const block = await readFully(this.#source, BLOCK_LENGTH);
    this.#position += block.length;
    if (block.length === 0 && !isFirst) return undefined;
    if (block.length === BLOCK_LENGTH && isZeroBlock(block)) {
      this.#position -= BLOCK_LENGTH;
      return undefined;
    }
    const header = readHeader(block);
    if (header !== undefined) {
      this.#expect(header.size);
      return header;
    }
    if (isFirst) throw new TarFormatError("This does not look like a tar archive", false);
    // What is less than a block at the end is nothing.
    if (block.length < BLOCK_LENGTH) return undefined;
    throw new TarFormatError("Skipping to next header", false);
  }

  #expect(size: number): void {
    this.#left = size;
    this.#padding = paddingOf(size);
  }

  async #readName(header: RawHeader): Promise<string> {
    const bytes = await this.#readExtra(header);
    const end = bytes.indexOf(0);
    return decoder.decode(end === -1 ? bytes : bytes.subarray(0, end));
  }

  async #readExtra({ size }: RawHeader): Promise<Uint8Array> {
    if (size > MOST_EXTRA_BYTES) throw new TarFormatError("Malformed extended header: too large", true);
    const bytes = await readFully({ read: (length) => this.read(length) }, size);
    if (bytes.length < size) throw endTooSoon();
    return bytes;
  }

  async #skipContent(): Promise<void> {
    const length = this.#left + this.#padding;
    // The zeros behind the last content may be missing.
    const skipped = await this.#source.skip(length);
    if (skipped < this.#left) throw endTooSoon();
    this.#position += skipped;
    this.#left = 0;
    this.#padding = 0;
  }
}

function endTooSoon(): TarFormatError {
  return new TarFormatError("Unexpected EOF in archive", true);
}
