import { FileError } from "../../file-system/file-error.ts";
import { type ByteSource, openOperand, PIECE_LENGTH, pieces } from "./byte-source.ts";
import { CurlFailure } from "./curl-failure.ts";
import type { Invocation } from "./invocation.ts";

/** Makes something else of each piece of what is sent. */
type Transform = (piece: Uint8Array) => Uint8Array;

/** Bytes of a text that is read in one go. */
const LONGEST_TEXT = 1024 * 1024;

const encoder = new TextEncoder();

const unchanged: Transform = (piece) => piece;

/** Gathers what a request will carry, which has to be held whole. */
export class SentBytes {
  readonly #invocation: Invocation;
  readonly #limit: number;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  /** @param limit the most bytes; as many as the machine lets a process hold unless given. */
  constructor(invocation: Invocation, limit = invocation.environment.limits.textBytes) {
    this.#invocation = invocation;
    this.#limit = limit;
  }

  /** @throws CurlFailure 27 where it becomes more than the limit. */
  add(bytes: Uint8Array): void {
    this.#length += bytes.length;
    if (this.#length > this.#limit) {
      throw new CurlFailure(27, `More than ${this.#limit} bytes are too many here`);
    }
    this.#pieces.push(bytes);
  }

  async addText(text: string, transform: Transform = unchanged): Promise<void> {
    const bytes = encoder.encode(text);
    for (let start = 0; start < bytes.length; start += PIECE_LENGTH) {
      const piece = bytes.subarray(start, start + PIECE_LENGTH);
      this.add(transform(piece));
      await this.#invocation.stepBytes(piece.length);
    }
  }

  /**
   * Adds a file, or standard input for `-`.
   *
   * @throws CurlFailure 26 where it cannot be read.
   */
  async addFile(operand: string, transform: Transform = unchanged): Promise<void> {
    for await (const piece of pieces(await this.#open(operand))) this.add(transform(piece));
  }

  join(): Uint8Array {
    const [first] = this.#pieces;
    if (first !== undefined && this.#pieces.length === 1) return first;
    const whole = new Uint8Array(this.#length);
    let offset = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, offset);
      offset += piece.length;
    }
    return whole;
  }

  async #open(operand: string): Promise<ByteSource> {
    try {
      return await openOperand(this.#invocation, operand);
    } catch (error) {
      if (error instanceof FileError) throw new CurlFailure(26, `Failed to open ${operand}`);
      throw error;
    }
  }
}

/** The text of a file of headers, cookies or the like, or of standard input for `-`. @throws CurlFailure */
export async function readText(invocation: Invocation, operand: string): Promise<string> {
  const bytes = new SentBytes(invocation, LONGEST_TEXT);
  await bytes.addFile(operand);
  return new TextDecoder().decode(bytes.join());
}

const UNRESERVED = /[\w.~-]/;

/** What each byte is in the data of a form. */
const ESCAPES: readonly Uint8Array[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (UNRESERVED.test(character)) return encoder.encode(character);
  return encoder.encode(character === " " ? "+" : `%${byte.toString(16).padStart(2, "0")}`);
});

/** Escapes what would mean something in the data of a form. */
export function escapeFormData(piece: Uint8Array): Uint8Array {
  const escaped = new Uint8Array(piece.length * 3);
  let length = 0;
  for (const byte of piece) {
    const escaping = ESCAPES[byte];
    if (escaping === undefined) continue;
    escaped.set(escaping, length);
    length += escaping.length;
  }
  return escaped.slice(0, length);
}

/** Leaves out line ends and NULs, as `-d` does with a file. */
export function withoutLineEnds(piece: Uint8Array): Uint8Array {
  return piece.filter((byte) => byte !== 0x0a && byte !== 0x0d && byte !== 0);
}
