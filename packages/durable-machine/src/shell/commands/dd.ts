import { openSink, outputSink } from "./byte-sink.ts";
import { inputSource, openPath, PIECE_LENGTH } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { humanSize, parseSize } from "./sizes.ts";

const NAMES = ["bs", "conv", "count", "if", "iflag", "of", "oflag", "seek", "skip", "status"];

const LISTS: Record<string, [kind: string, words: string]> = {
  conv: ["conversion", "fdatasync fsync noerror notrunc sparse"],
  iflag: ["input flag", "direct fullblock nonblock"],
  oflag: ["output flag", "direct dsync nonblock sync"],
  status: ["status level", "none noxfer progress"],
};

function readOperands(args: readonly string[]): Map<string, string> {
  const operands = new Map<string, string>();
  for (const arg of args) {
    const [, name = "", value = ""] = /^([a-z]+)=(.*)$/s.exec(arg) ?? [];
    if (!NAMES.includes(name)) throw new UsageError(`unrecognized operand ${quoteWord(arg)}`);
    const [kind, words] = LISTS[name] ?? [];
    const unknown = words && value.split(",").find((word) => !words.split(" ").includes(word));
    if (unknown !== undefined) throw new UsageError(`invalid ${kind}: ${quoteWord(unknown)}`);
    operands.set(name, value);
  }
  return operands;
}

function readNumber(text: string, least = 0): number {
  const size = parseSize(text);
  if (size !== undefined && size >= least) return size;
  throw new UsageError(`invalid number: ${quoteWord(text)}`, { hint: false });
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

export const dd: MachineCommand = {
  name: "dd",
  usage: "dd [OPERAND]...",
  async run(invocation) {
    const operands = readOperands(invocation.args);
    const has = (name: string, word: string) => operands.get(name)?.split(",").includes(word) === true;
    const blockBytes = readNumber(operands.get("bs") ?? "512", 1);
    const skip = readNumber(operands.get("skip") ?? "0") * blockBytes;
    const seek = readNumber(operands.get("seek") ?? "0") * blockBytes;
    const count = operands.get("count");
    const total = count === undefined ? Number.POSITIVE_INFINITY : readNumber(count) * blockBytes;
    const input = operands.get("if");
    const of = operands.get("of");
    const output = of ?? "standard output";
    const attempt = async <Result>(what: string, name: string, action: () => Result | Promise<Result>) => {
      try {
        return await action();
      } catch (error) {
        return invocation.fail(`${what} ${quoteName(name)}: ${errorText(error)}`);
      }
    };
    const startedAt = performance.now();
    const source = await attempt("failed to open", input ?? "", async () =>
      input === undefined ? inputSource(invocation) : await openPath(invocation, input),
    );
    const keeps = has("conv", "notrunc");
    const sink = await attempt("failed to open", output, () =>
      of === undefined ? outputSink(invocation) : openSink(invocation, of, { offset: seek, keeps }),
    );
    if ((await source.skip(skip)) < skip) {
      invocation.complain(`${input ?? "'standard input'"}: cannot skip to specified offset`);
    }

    // A pipe returns what it currently has: that is a block, however short, unless full ones are requested.
    const readsBlocks = source.isStream && !has("iflag", "fullblock");
    const short = { count: 0, bytes: 0 };
    const copied = { in: 0, out: 0 };
    const describeBlocks = (bytes: number) => {
      const partial = readsBlocks ? short.count : Number(bytes % blockBytes !== 0);
      return `${Math.floor((bytes - short.bytes) / blockBytes)}+${partial}`;
    };
    try {
      for (let left = total; left > 0; ) {
        const wanted = Math.min(readsBlocks ? blockBytes : PIECE_LENGTH, left);
        const piece = await attempt("error reading", input ?? "standard input", () => source.read(wanted));
        if (piece.length === 0) break;
        copied.in += piece.length;
        left -= readsBlocks ? blockBytes : piece.length;
        if (readsBlocks && piece.length < blockBytes) {
          short.count++;
          short.bytes += piece.length;
        }
        await attempt("error writing", output, () => sink.write(piece));
        copied.out += piece.length;
        // A program that writes block after block to a pipe may wait for a reply to each.
        if (source.isStream) await attempt("error writing", output, () => sink.flush());
        await invocation.step();
      }
      await attempt("error writing", output, () => sink.flush());
      return 0;
    } finally {
      if (!has("status", "none")) {
        invocation.say(`${describeBlocks(copied.in)} records in\n`);
        invocation.say(`${describeBlocks(copied.out)} records out\n`);
        const seconds = (performance.now() - startedAt) / 1000;
        if (!has("status", "noxfer")) invocation.say(`${describeCopied(copied.out, seconds)}\n`);
      }
    }
  },
};
