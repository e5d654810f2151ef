import { type ByteSink, openSink, outputSink } from "./byte-sink.ts";
import { type ByteSource, inputSource, openPath, PIECE_LENGTH } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { humanSize, parseSize } from "./sizes.ts";

const DEFAULT_BLOCK_BYTES = 512;

const NAMES = "bs conv count ibs if iflag obs of oflag seek skip status".split(" ");

/** The words that an operand may list, and what they are called in messages. */
const LISTS: Record<string, [kind: string, words: string]> = {
  conv: ["conversion", "fdatasync fsync lcase noerror notrunc sparse sync ucase"],
  iflag: ["input flag", "count_bytes direct fullblock nonblock skip_bytes"],
  oflag: ["output flag", "append direct dsync nonblock seek_bytes sync"],
  status: ["status level", "none noxfer progress"],
};

/** The `name=value` operands. */
class DdOperands {
  readonly #values = new Map<string, string>();

  /** @throws UsageError */
  constructor(args: readonly string[]) {
    for (const arg of args) {
      const [, name = "", value = ""] = /^([a-z]+)=(.*)$/s.exec(arg) ?? [];
      if (!NAMES.includes(name)) throw new UsageError(`unrecognized operand ${quoteWord(arg)}`);
      this.#values.set(name, value);
    }
    for (const [name, [kind, words]] of Object.entries(LISTS)) {
      const unknown = this.value(name)
        ?.split(",")
        .find((word) => !words.split(" ").includes(word));
      if (unknown !== undefined) throw new UsageError(`invalid ${kind}: ${quoteWord(unknown)}`);
    }
  }

  value(name: string): string | undefined {
    return this.#values.get(name);
  }

  has(name: string, word: string): boolean {
    return this.value(name)?.split(",").includes(word) === true;
  }

  /** A size in bytes. @throws UsageError */
  size(name: string): number | undefined {
    const text = this.value(name);
    if (text === undefined) return undefined;
    const size = parseSize(text);
    if (size !== undefined && (size > 0 || !name.endsWith("bs"))) return size;
    throw new UsageError(`invalid number: ${quoteWord(text)}`, { hint: false });
  }

  /** Bytes, of a number of blocks unless a flag says or the number ends in `B`. */
  position(name: string, blockBytes: number, flag: readonly [name: string, word: string]): number {
    const isBytes = this.has(...flag) || this.value(name)?.endsWith("B");
    return (this.size(name) ?? 0) * (isBytes ? 1 : blockBytes);
  }
}

/** What dd says at its end, such as "2048 bytes (2.0 kB, 2.0 KiB) copied, 0.1 s, 20.5 kB/s". */
function describeCopied(bytes: number, seconds: number): string {
  const size = (base: 1000 | 1024, unit: string, count = bytes) =>
    humanSize(count, base, Math.round).replace(/([a-zA-Z]?)$/, ` $1${unit}`);
  const sizes = [...(bytes >= 1000 ? [size(1000, "B")] : []), ...(bytes >= 1024 ? [size(1024, "iB")] : [])];
  const inParentheses = sizes.length === 0 ? "" : ` (${sizes.join(", ")})`;
  const rate = size(1000, "B/s", seconds > 0 ? Math.round(bytes / seconds) : 0);
  return `${bytes} byte${bytes === 1 ? "" : "s"}${inParentheses} copied, ${Number(seconds.toPrecision(6))} s, ${rate}`;
}

/** The bytes with the letters from `first` to `last` in the other case. */
function changeCase(bytes: Uint8Array, first: "a" | "A", last: "z" | "Z"): Uint8Array {
  const [low, high] = [first.charCodeAt(0), last.charCodeAt(0)];
  return bytes.map((byte) => (byte >= low && byte <= high ? byte ^ 0x20 : byte));
}

/** Small records of a file come out of a larger piece, so that a byte costs no look-up. */
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

function openOutput(invocation: Invocation, operands: DdOperands, offset: number): ByteSink {
  const output = operands.value("of");
  if (output === undefined) return outputSink(invocation);
  const { files, credentials } = invocation;
  const path = invocation.path(output);
  const appends = operands.has("oflag", "append") && files.exists(path, credentials);
  return openSink(invocation, output, {
    offset: appends ? files.status(path, credentials).size : offset,
    keeps: operands.has("conv", "notrunc"),
  });
}

export const dd: MachineCommand = {
  name: "dd",
  usage: "dd [OPERAND]...",
  async run(invocation) {
    const operands = new DdOperands(invocation.args);
    const inputBytes = operands.size("bs") ?? operands.size("ibs") ?? DEFAULT_BLOCK_BYTES;
    const outputBytes = operands.size("bs") ?? operands.size("obs") ?? DEFAULT_BLOCK_BYTES;
    const skip = operands.position("skip", inputBytes, ["iflag", "skip_bytes"]);
    const seek = operands.position("seek", outputBytes, ["oflag", "seek_bytes"]);
    const countsBytes = operands.has("iflag", "count_bytes") || operands.value("count")?.endsWith("B");
    const count = operands.size("count") ?? Number.POSITIVE_INFINITY;
    const input = operands.value("if");
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
    const output = operands.value("of") ?? "standard output";
    const sink = await attempt("failed to open", output, () => openOutput(invocation, operands, seek));
    if ((await source.skip(skip)) < skip) {
      invocation.complain(`${input ?? "'standard input'"}: cannot skip to specified offset`);
    }
    const records = { full: 0, partial: 0 };
    let copied = 0;
    const write = (bytes: Uint8Array) =>
      attempt("error writing", output, async () => {
        const lowered = operands.has("conv", "lcase") ? changeCase(bytes, "A", "Z") : bytes;
        await sink.write(operands.has("conv", "ucase") ? changeCase(lowered, "a", "z") : lowered);
        copied += bytes.length;
      });
    /** Copies a record, never held whole: it may be larger than memory. @returns its length; 0 at the end. */
    const copyRecord = async (wanted: number): Promise<number> => {
      let length = 0;
      for (let isWhole = false; !isWhole; ) {
        const piece = await attempt("error reading", input ?? "standard input", () =>
          source.read(wanted - length),
        );
        length += piece.length;
        // A stream gives what there is just now: that is a record, unless full ones are asked for.
        const isShort = source.isStream && !operands.has("iflag", "fullblock");
        isWhole = length === wanted || piece.length === 0 || isShort;
        if (isWhole && length > 0) records[length === inputBytes ? "full" : "partial"]++;
        await write(piece);
      }
      return length;
    };
    try {
      for (let left = countsBytes ? count : count * inputBytes; left > 0; ) {
        const length = await copyRecord(Math.min(inputBytes, left));
        if (length === 0) break;
        left -= countsBytes ? length : inputBytes;
        const padding = operands.has("conv", "sync") ? inputBytes - length : 0;
        for (let rest = padding; rest > 0; rest -= PIECE_LENGTH) {
          await write(new Uint8Array(Math.min(rest, PIECE_LENGTH)));
        }
        // A program that writes record after record to a pipe may wait for an answer to each.
        if (source.isStream) await attempt("error writing", output, () => sink.flush());
        await invocation.step();
      }
      await attempt("error writing", output, () => sink.flush());
      return 0;
    } finally {
      const isSameBlock = source.isStream && inputBytes === outputBytes && !operands.has("conv", "sync");
      const full = isSameBlock ? records.full : Math.floor(copied / outputBytes);
      const partial = isSameBlock ? records.partial : Math.sign(copied % outputBytes);
      if (!operands.has("status", "none")) {
        invocation.say(`${records.full}+${records.partial} records in\n${full}+${partial} records out\n`);
        const seconds = (performance.now() - startedAt) / 1000;
        if (!operands.has("status", "noxfer")) invocation.say(`${describeCopied(copied, seconds)}\n`);
      }
    }
  },
};
