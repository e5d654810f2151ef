import { FileError } from "../../file-system/file-error.ts";
import { PIECE_LENGTH } from "./byte-source.ts";
import type { Invocation } from "./invocation.ts";

/** What a command writes into: a file, a device, or standard output. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
  /** Hands on what is kept back. */
  flush(): Promise<void>;
}

export interface SinkOptions {
  /** Where the writing begins; what a file holds from there on is dropped, unless `keeps`. Default: 0. */
  offset?: number;
  /** Leave what a file holds in place. */
  keeps?: boolean;
}

/** What a sink that gathers begins with: of most files there is less. */
const FIRST_BUFFER_LENGTH = 4096;

/** Gathers small writes, so that a byte costs no row. */
class GatheringSink implements ByteSink {
  readonly #hand: (bytes: Uint8Array) => Promise<void>;
  #buffer = new Uint8Array(FIRST_BUFFER_LENGTH);
  #length = 0;

  constructor(hand: (bytes: Uint8Array) => Promise<void>) {
    this.#hand = hand;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#length + bytes.length > PIECE_LENGTH) await this.flush();
    if (bytes.length >= PIECE_LENGTH) return await this.#hand(bytes);
    this.#reserve(this.#length + bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  async flush(): Promise<void> {
    if (this.#length === 0) return;
    const bytes = this.#buffer.slice(0, this.#length);
    this.#length = 0;
    await this.#hand(bytes);
  }

  #reserve(length: number): void {
    if (length <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.min(PIECE_LENGTH, Math.max(length, 4 * this.#buffer.length)));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}

/** A file that is made, or cut off where the writing begins. */
function fileSink(
  invocation: Invocation,
  path: string,
  { offset = 0, keeps = false }: SinkOptions,
): ByteSink {
  const { files, credentials } = invocation;
  if (!files.exists(path, credentials)) files.writeAll(path, new Uint8Array(0), credentials);
  // Also tells whether the file may be written at all.
  if (keeps) files.writeRange(path, new Uint8Array(0), credentials, 0);
  else files.truncate(path, credentials, offset);
  let position = offset;
  return new GatheringSink(async (bytes) => {
    files.writeRange(path, bytes, credentials, position);
    position += bytes.length;
    await invocation.stepBytes(bytes.length);
  });
}

/** Standard output. */
export function outputSink(invocation: Invocation): ByteSink {
  return new GatheringSink(async (bytes) => {
    await invocation.write(bytes);
    await invocation.stepBytes(bytes.length);
  });
}

/**
 * Opens a file, or what stands for one, for writing.
 *
 * @throws FileError
 */
export function openSink(invocation: Invocation, operand: string, options: SinkOptions = {}): ByteSink {
  const path = invocation.path(operand);
  switch (path) {
    case "/dev/null":
    case "/dev/zero":
      return { write: (bytes) => invocation.stepBytes(bytes.length), flush: async () => {} };
    case "/dev/full":
      return {
        write: async () => {
          throw new FileError("ENOSPC", "write", operand);
        },
        flush: async () => {},
      };
    case "/dev/stdout":
    case "/dev/fd/1":
      return outputSink(invocation);
    case "/dev/stderr":
    case "/dev/fd/2":
      return {
        write: async (bytes) => invocation.say(new TextDecoder().decode(bytes)),
        flush: async () => {},
      };
    default:
      return fileSink(invocation, path, options);
  }
}
