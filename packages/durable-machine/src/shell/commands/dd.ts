import { type ByteSink, openSink, outputSink } from "./byte-sink.ts";
import { type ByteSource, inputSource, openPath, PIECE_LENGTH } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { humanSize, parseSize } from "./sizes.ts";

const DEFAULT_BLOCK_BYTES = 512;

const NAMES = ["bs", "conv", "count", "if", "iflag", "of", "oflag", "seek", "skip", "status"];

/** The words that an operand may list. */
const LISTS: Record<string, [kind: string, words: string]> = {
  conv: ["conversion", "fdatasync fsync noerror notrunc sparse"],
  iflag: ["input flag", "count_bytes direct fullblock nonblock skip_bytes"],
  oflag: ["output flag", "append direct dsync nonblock seek_bytes sync"],
  status: ["status level", "none noxfer progress"],
};

/** The `name=value` operands. */
class DdOperands {
  readonly #values = new Map<string, string>();
  readonly blockBytes: number;

  /** @throws UsageError */
  constructor(args: readonly string[]) {
    for (const arg of args) {
      const [, name = "", value = ""] = /^([a-z]+)=(.*)$/s.exec(arg) ?? [];
      if (!NAMES.includes(name)) throw new UsageError(`unrecognized operand ${quoteWord(arg)}`);
      const [kind, words] = LISTS[name] ?? [];
      const unknown = words && value.split(",").find((word) => !words.split(" ").includes(word));
      if (unknown !== undefined) throw new UsageError(`invalid ${kind}: ${quoteWord(unknown)}`);
      this.#values.set(name, value);
    }
    this.blockBytes = this.#size("bs") ?? DEFAULT_BLOCK_BYTES;
  }

  value(name: string): string | undefined {
    return this.#values.get(name);
  }

  has(name: string, word: string): boolean {
    return this.value(name)?.split(",").includes(word) === true;
  }

  /** Whether a number counts bytes and not blocks. */
  countsBytes(name: "count" | "seek" | "skip"): boolean {
    const hasFlag = this.has(name === "seek" ? "oflag" : "iflag", `${name}_bytes`);
    return hasFlag || this.value(name)?.endsWith("B") === true;
  }

  /** A number of blocks in bytes. @throws UsageError */
  bytes(name: "count" | "seek" | "skip"): number | undefined {
    const size = this.#size(name);
    return size && size * (this.countsBytes(name) ? 1 : this.blockBytes);
  }

  #size(name: string): number | undefined {
    const text = this.value(name);
    if (text === undefined) return undefined;
    const size = parseSize(text);
    if (size !== undefined && (size > 0 || name !== "bs")) return size;
    throw new UsageError(`invalid number: ${quoteWord(text)}`, { hint: false });
  }
}

/** Such as "2048 bytes (2.0 kB, 2.0 KiB) copied, 0.1 s, 20.5 kB/s". */
function describeCopied(bytes: number, seconds: number): string {
  const size = (base: 1000 | 1024, unit: string, count = bytes) =>
    humanSize(count, base, Math.round).replace(/([a-zA-Z]?)$/, ` $1${unit}`);
  const sizes = [...(bytes >= 1000 ? [size(1000, "B")] : []), ...(bytes >= 1024 ? [size(1024, "iB")] : [])];
  const inParentheses = sizes.length === 0 ? "" : ` (${sizes.join(", ")})`;
  const rate = size(1000, "B/s", seconds > 0 ? Math.round(bytes / seconds) : 0);
  return `${bytes} byte${bytes === 1 ? "" : "s"}${inParentheses} copied, ${Number(seconds.toPrecision(6))} s, ${rate}`;
}

/** Takes small records of a file out of a larger piece, so that a byte costs no look-up. */
function buffered(source: ByteSource): ByteSource {
  if (source.isStream) return source;
  let held = new Uint8Array(0);
  const read = async (length: number) => {
    if (held.length === 0) held = Uint8Array.from(await source.read(PIECE_LENGTH));
    const piece = held.subarray(0, length);
    held = held.subarray(piece.length);
    return piece;
  };
  return { ...source, read };
}

function openOutput(invocation: Invocation, operands: DdOperands): ByteSink {
  const output = operands.value("of");
  if (output === undefined) return outputSink(invocation);
  const { files, credentials } = invocation;
  const path = invocation.path(output);
  const appends = operands.has("oflag", "append") && files.exists(path, credentials);
  return openSink(invocation, output, {
    offset: appends ? files.status(path, credentials).size : (operands.bytes("seek") ?? 0),
    keeps: operands.has("conv", "notrunc"),
  });
}

export const dd: MachineCommand = {
  name: "dd",
  usage: "dd [OPERAND]...",
  async run(invocation) {
    const operands = new DdOperands(invocation.args);
    const { blockBytes } = operands;
    const skip = operands.bytes("skip") ?? 0;
    const total = operands.bytes("count") ?? Number.POSITIVE_INFINITY;
    const input = operands.value("if");
    const output = operands.value("of") ?? "standard output";
    const attempt = async <Result>(what: string, name: string, action: () => Result | Promise<Result>) => {
      try {
        return await action();
      } catch (error) {
        return invocation.fail(`${what} ${quoteName(name)}: ${errorText(error)}`);
      }
    };
    const startedAt = performance.now();
    const source = await attempt("failed to open", input ?? "", async () =>
      input === undefined ? inputSource(invocation) : buffered(await openPath(invocation, input)),
    );
    const sink = await attempt("failed to open", output, () => openOutput(invocation, operands));
    if ((await source.skip(skip)) < skip) {
      invocation.complain(`${input ?? "'standard input'"}: cannot skip to specified offset`);
    }
    const read = { full: 0, partial: 0 };
    const written = { full: 0, partial: 0, bytes: 0 };
    /** Copies a record, never held whole: it may be larger than memory. @returns its length; 0 at the end. */
    const copyRecord = async (wanted: number): Promise<number> => {
      let length = 0;
      for (let isWhole = false; !isWhole; ) {
        const piece = await attempt("error reading", input ?? "standard input", () =>
          source.read(wanted - length),
        );
        length += piece.length;
        // A stream gives what it has just now: that is a record, unless full ones are asked for.
        const isShort = source.isStream && !operands.has("iflag", "fullblock");
        isWhole = length === wanted || piece.length === 0 || isShort;
        if (isWhole && length > 0) read[length === blockBytes ? "full" : "partial"]++;
        await attempt("error writing", output, () => sink.write(piece));
        written.bytes += piece.length;
      }
      if (length > 0) written[length === blockBytes ? "full" : "partial"]++;
      return length;
    };
    try {
      for (let left = total; left > 0; ) {
        const length = await copyRecord(Math.min(blockBytes, left));
        if (length === 0) break;
        left -= operands.countsBytes("count") ? length : blockBytes;
        // A program that writes record after record to a pipe may wait for an answer to each.
        if (source.isStream) await attempt("error writing", output, () => sink.flush());
        await invocation.step();
      }
      await attempt("error writing", output, () => sink.flush());
      return 0;
    } finally {
      if (!operands.has("status", "none")) {
        invocation.say(`${read.full}+${read.partial} records in\n`);
        invocation.say(`${written.full}+${written.partial} records out\n`);
        const seconds = (performance.now() - startedAt) / 1000;
        if (!operands.has("status", "noxfer")) invocation.say(`${describeCopied(written.bytes, seconds)}\n`);
      }
    }
  },
};
