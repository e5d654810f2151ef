import { FileError } from "../../file-system/file-error.ts";
import { PIECE_LENGTH } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";

export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
  flush(): Promise<void>;
}

interface SinkOptions {
  /** Where writing begins. The file is truncated there unless `keeps` is set. Default: 0. */
  offset?: number;
  keeps?: boolean;
}

const FIRST_BUFFER_LENGTH = 4096;

/** Buffers small writes, because each write of a file costs a row. */
class BufferedSink implements ByteSink {
  readonly #writeThrough: (bytes: Uint8Array) => Promise<void>;
  #buffer = new Uint8Array(FIRST_BUFFER_LENGTH);
  #length = 0;

  constructor(writeThrough: (bytes: Uint8Array) => Promise<void>) {
    this.#writeThrough = writeThrough;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#length + bytes.length > PIECE_LENGTH) await this.flush();
    if (bytes.length >= PIECE_LENGTH) return await this.#writeThrough(bytes);
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) {
      const capacity = Math.min(PIECE_LENGTH, Math.max(length, 4 * this.#buffer.length));
      this.#buffer = new Uint8Array(this.#buffer.buffer.transfer(capacity));
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
  }

  async flush(): Promise<void> {
    if (this.#length === 0) return;
    const bytes = this.#buffer.slice(0, this.#length);
    this.#length = 0;
    await this.#writeThrough(bytes);
  }
}

function fileSink(invocation: Invocation, path: string, { offset = 0, keeps }: SinkOptions): ByteSink {
  const { files, credentials } = invocation;
  if (!files.exists(path, credentials)) files.writeAll(path, new Uint8Array(0), credentials);
  // An empty write checks the permission.
  if (keeps) files.writeRange(path, new Uint8Array(0), credentials, 0);
  else files.truncate(path, credentials, offset);
  let position = offset;
  return new BufferedSink(async (bytes) => {
    files.writeRange(path, bytes, credentials, position);
    position += bytes.length;
    await invocation.stepBytes(bytes.length);
  });
}

export function outputSink(invocation: Invocation): ByteSink {
  return new BufferedSink(async (bytes) => {
    await invocation.write(bytes);
    await invocation.stepBytes(bytes.length);
  });
}

function unbufferedSink(write: ByteSink["write"]): ByteSink {
  return { write, flush: async () => {} };
}

/** @throws FileError */
export function openSink(invocation: Invocation, operand: string, options: SinkOptions = {}): ByteSink {
  const path = invocation.path(operand);
  switch (path) {
    case "/dev/null":
    case "/dev/zero":
      return unbufferedSink((bytes) => invocation.stepBytes(bytes.length));
    case "/dev/full":
      return unbufferedSink(() => Promise.reject(new FileError("ENOSPC", "write", operand)));
    case "/dev/stdout":
    case "/dev/fd/1":
      return outputSink(invocation);
    case "/dev/stderr":
    case "/dev/fd/2":
      return unbufferedSink(async (bytes) => invocation.say(new TextDecoder().decode(bytes)));
    default:
      return fileSink(invocation, path, options);
  }
}

/** Opens the output file of a command, or standard output for `-`. An error ends the command. */
export function openOutput(invocation: Invocation, operand = "-", exitCode?: number): ByteSink {
  if (operand === "-") return outputSink(invocation);
  try {
    return openSink(invocation, operand);
  } catch (error) {
    invocation.fail(`${operand}: ${errorText(error)}`, exitCode);
  }
}
