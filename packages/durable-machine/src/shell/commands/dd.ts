import { FileError } from "../../file-system/file-error.ts";
import { type ByteSink, openSink, outputSink } from "./byte-sink.ts";
import { type ByteSource, inputSource, openPath, PIECE_LENGTH } from "./byte-source.ts";
import { type DdRequest, readDdOperands } from "./dd-operands.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { quoteName } from "./quoting.ts";
import { humanSize } from "./sizes.ts";

/** Records that were full, and ones that were not. */
interface Records {
  full: number;
  partial: number;
}

function withUnit(size: string, unit: string): string {
  const [digits, prefix = ""] = size.split(/(?=[a-zA-Z])/);
  return `${digits} ${prefix}${unit}`;
}

function describeRate(bytesPerSecond: number): string {
  const prefixes = ["k", "M", "G", "T"];
  let value = bytesPerSecond / 1000;
  let prefix = 0;
  for (; value >= 999.5 && prefix < prefixes.length - 1; prefix++) value /= 1000;
  return `${value < 99.95 ? value.toFixed(1) : Math.round(value)} ${prefixes[prefix]}B/s`;
}

/** What dd says at its end of how much it has copied. */
export function describeCopied(bytes: number, seconds: number): string {
  const sizes = [
    ...(bytes >= 1000 ? [withUnit(humanSize(bytes, 1000, Math.round), "B")] : []),
    ...(bytes >= 1024 ? [withUnit(humanSize(bytes, 1024, Math.round), "iB")] : []),
  ];
  const inParentheses = sizes.length === 0 ? "" : ` (${sizes.join(", ")})`;
  const rate = describeRate(seconds > 0 ? bytes / seconds : 0);
  const unit = bytes === 1 ? "byte" : "bytes";
  return `${bytes} ${unit}${inParentheses} copied, ${Number(seconds.toPrecision(6))} s, ${rate}`;
}

const UPPER_CASE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte,
);
const LOWER_CASE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Changes bytes on their way. */
class Converter {
  readonly #conversions: ReadonlySet<string>;
  /** A byte whose counterpart is yet to come. */
  #odd: number | undefined;

  constructor(conversions: ReadonlySet<string>) {
    this.#conversions = conversions;
  }

  convert(bytes: Uint8Array): Uint8Array {
    let converted = bytes;
    if (this.#conversions.has("ucase")) converted = converted.map((byte) => UPPER_CASE[byte] ?? byte);
    if (this.#conversions.has("lcase")) converted = converted.map((byte) => LOWER_CASE[byte] ?? byte);
    return this.#conversions.has("swab") ? this.#swapPairs(converted) : converted;
  }

  /** What is left at the end. */
  end(): Uint8Array {
    return this.#odd === undefined ? new Uint8Array(0) : Uint8Array.of(this.#odd);
  }

  #swapPairs(bytes: Uint8Array): Uint8Array {
    const swapped: number[] = [];
    for (const byte of bytes) {
      if (this.#odd === undefined) {
        this.#odd = byte;
      } else {
        swapped.push(byte, this.#odd);
        this.#odd = undefined;
      }
    }
    return Uint8Array.from(swapped);
  }
}

/** Small records of a file come out of a larger piece, so that a byte costs no look-up. */
function buffered(source: ByteSource): ByteSource {
  if (source.isStream) return source;
  let held = new Uint8Array(0);
  return {
    size: source.size,
    isStream: false,
    read: async (length) => {
      if (held.length === 0) held = Uint8Array.from(await source.read(PIECE_LENGTH));
      const piece = held.subarray(0, length);
      held = held.subarray(piece.length);
      return piece;
    },
    skip: source.skip,
  };
}

/** Copies record by record, and counts. A record is never held whole: it may be larger than memory. */
class DdCopy {
  readonly read: Records = { full: 0, partial: 0 };
  readonly written: Records = { full: 0, partial: 0 };
  bytes = 0;
  readonly #invocation: Invocation;
  readonly #request: DdRequest;
  readonly #source: ByteSource;
  readonly #sink: ByteSink;
  readonly #converter: Converter;

  constructor(invocation: Invocation, request: DdRequest, source: ByteSource, sink: ByteSink) {
    this.#invocation = invocation;
    this.#request = request;
    this.#source = source;
    this.#sink = sink;
    this.#converter = new Converter(request.conversions);
  }

  async run(): Promise<void> {
    const { count, inputBlock, outputBlock, conversions } = this.#request;
    let recordsLeft = count.records;
    for (let bytesLeft = count.bytes; recordsLeft > 0 && bytesLeft > 0; recordsLeft--) {
      const length = await this.#copyRecord(Math.min(inputBlock, bytesLeft));
      if (length === 0) break;
      bytesLeft -= length;
      const padding = conversions.has("sync") ? inputBlock - length : 0;
      await this.#pad(padding);
      if (inputBlock === outputBlock) this.#count(this.written, length + padding, outputBlock);
      // Who writes record after record to a pipe wants each answered.
      if (this.#source.isStream && this.#request.output === undefined) await this.#flush();
      await this.#invocation.step();
    }
    await this.#put(this.#converter.end());
    if (inputBlock !== outputBlock) {
      this.written.full = Math.floor(this.bytes / outputBlock);
      this.written.partial = this.bytes % outputBlock === 0 ? 0 : 1;
    }
    await this.#flush();
  }

  #count(records: Records, length: number, block: number): void {
    if (length === block) records.full++;
    else records.partial++;
  }

  /** @returns the record's length; 0: the input is at its end. */
  async #copyRecord(wanted: number): Promise<number> {
    const { inputBlock, fullBlocks } = this.#request;
    let length = 0;
    for (let isWhole = false; !isWhole; ) {
      const piece = await this.#readPiece(wanted - length);
      length += piece.length;
      // What a stream has just now is a record, unless full ones are asked for.
      const isShort = this.#source.isStream && !fullBlocks;
      isWhole = length === wanted || piece.length === 0 || isShort;
      // Read it is, whatever becomes of its being written.
      if (isWhole && length > 0) this.#count(this.read, length, inputBlock);
      await this.#put(this.#converter.convert(piece));
    }
    return length;
  }

  async #readPiece(length: number): Promise<Uint8Array> {
    try {
      return await this.#source.read(length);
    } catch (error) {
      return this.#invocation.fail(
        `error reading ${quoteName(this.#request.input ?? "standard input")}: ${errorText(error)}`,
      );
    }
  }

  async #pad(length: number): Promise<void> {
    for (let left = length; left > 0; left -= PIECE_LENGTH) {
      await this.#put(new Uint8Array(Math.min(left, PIECE_LENGTH)));
    }
  }

  async #put(bytes: Uint8Array): Promise<void> {
    await this.#writing(() => this.#sink.write(bytes));
    this.bytes += bytes.length;
  }

  async #flush(): Promise<void> {
    await this.#writing(() => this.#sink.flush());
  }

  async #writing(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      const name = quoteName(this.#request.output ?? "standard output");
      this.#invocation.fail(`error writing ${name}: ${errorText(error)}`);
    }
  }
}

/** A directory can be opened; it is only that nothing can be read from it. */
function unreadable(error: FileError): ByteSource {
  const fail = () => Promise.reject(error);
  return { size: undefined, isStream: false, read: fail, skip: async (length) => length };
}

async function openInput(invocation: Invocation, { input }: DdRequest): Promise<ByteSource> {
  if (input === undefined) return inputSource(invocation);
  try {
    return buffered(await openPath(invocation, input));
  } catch (error) {
    if (error instanceof FileError && error.code === "EISDIR") return unreadable(error);
    throw error;
  }
}

function openOutput(
  invocation: Invocation,
  { output, conversions, appends, seekBytes }: DdRequest,
): ByteSink {
  if (output === undefined) return outputSink(invocation);
  const { files, credentials } = invocation;
  const path = invocation.path(output);
  const exists = files.exists(path, credentials);
  if (conversions.has("excl") && exists) throw new FileError("EEXIST", "open", output);
  if (conversions.has("nocreat") && !exists) throw new FileError("ENOENT", "open", output);
  const offset = appends && exists ? files.status(path, credentials).size : seekBytes;
  return openSink(invocation, output, { offset, keeps: conversions.has("notrunc") });
}

async function opened<Stream>(
  invocation: Invocation,
  name: string | undefined,
  open: () => Stream | Promise<Stream>,
): Promise<Stream> {
  try {
    return await open();
  } catch (error) {
    return invocation.fail(`failed to open ${quoteName(name ?? "")}: ${errorText(error)}`);
  }
}

export const dd: MachineCommand = {
  name: "dd",
  usage: "dd [OPERAND]...",
  async run(invocation) {
    const request = readDdOperands(invocation.args);
    const startedAt = performance.now();
    const source = await opened(invocation, request.input, () => openInput(invocation, request));
    const sink = await opened(invocation, request.output, () => openOutput(invocation, request));
    if ((await source.skip(request.skipBytes)) < request.skipBytes) {
      invocation.complain(`${request.input ?? "'standard input'"}: cannot skip to specified offset`);
    }
    const copy = new DdCopy(invocation, request, source, sink);
    try {
      await copy.run();
      return 0;
    } finally {
      if (request.status !== "none") {
        invocation.say(`${copy.read.full}+${copy.read.partial} records in\n`);
        invocation.say(`${copy.written.full}+${copy.written.partial} records out\n`);
      }
      if (request.status !== "none" && request.status !== "noxfer") {
        invocation.say(`${describeCopied(copy.bytes, (performance.now() - startedAt) / 1000)}\n`);
      }
    }
  },
};
