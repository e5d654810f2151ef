import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { parseSize } from "./sizes.ts";

const DEFAULT_BLOCK = 512;

const CONVERSIONS = [
  "excl",
  "fdatasync",
  "fsync",
  "lcase",
  "nocreat",
  "noerror",
  "notrunc",
  "sparse",
  "swab",
  "sync",
  "ucase",
];

const INPUT_FLAGS = ["count_bytes", "direct", "fullblock", "nonblock", "skip_bytes"];
const OUTPUT_FLAGS = ["append", "direct", "dsync", "nonblock", "seek_bytes", "sync"];

/** What dd is to do. */
export interface DdRequest {
  /** Undefined: standard input. */
  input: string | undefined;
  /** Undefined: standard output. */
  output: string | undefined;
  inputBlock: number;
  outputBlock: number;
  /** How much at most: both hold. */
  count: { records: number; bytes: number };
  skipBytes: number;
  seekBytes: number;
  fullBlocks: boolean;
  appends: boolean;
  conversions: ReadonlySet<string>;
  status: string;
}

function invalidNumber(text: string): UsageError {
  return new UsageError(`invalid number: ${quoteWord(text)}`, { hint: false });
}

function readNumber(text: string): number {
  const number = parseSize(text);
  if (number === undefined) throw invalidNumber(text);
  return number;
}

function readBlock(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const block = readNumber(text);
  if (block === 0) throw invalidNumber(text);
  return block;
}

function readList(text: string | undefined, allowed: readonly string[], kind: string): Set<string> {
  const words = text === undefined ? [] : text.split(",");
  const unknown = words.find((word) => !allowed.includes(word));
  if (unknown !== undefined) throw new UsageError(`invalid ${kind}: ${quoteWord(unknown)}`);
  return new Set(words);
}

/** A position in blocks, or in bytes where a flag says so or the number ends in `B`. */
function readPosition(text: string | undefined, block: number, inBytes: boolean): number {
  if (text === undefined) return 0;
  return readNumber(text) * (inBytes || text.endsWith("B") ? 1 : block);
}

const NAMES = [
  "bs",
  "cbs",
  "conv",
  "count",
  "ibs",
  "if",
  "iflag",
  "iseek",
  "obs",
  "of",
  "oflag",
  "oseek",
  "seek",
  "skip",
  "status",
];

/**
 * Reads `name=value` operands.
 *
 * @throws UsageError
 */
export function readDdOperands(args: readonly string[]): DdRequest {
  const values = new Map<string, string>();
  for (const arg of args) {
    const [, name = "", value = ""] = /^([a-z]+)=(.*)$/s.exec(arg) ?? [];
    if (!NAMES.includes(name)) throw new UsageError(`unrecognized operand ${quoteWord(arg)}`);
    values.set(name, value);
  }
  const block = readBlock(values.get("bs"));
  const inputBlock = block ?? readBlock(values.get("ibs")) ?? DEFAULT_BLOCK;
  const outputBlock = block ?? readBlock(values.get("obs")) ?? DEFAULT_BLOCK;
  const conversions = readList(values.get("conv"), CONVERSIONS, "conversion");
  const inputFlags = readList(values.get("iflag"), INPUT_FLAGS, "input flag");
  const outputFlags = readList(values.get("oflag"), OUTPUT_FLAGS, "output flag");
  const [status = "default"] = readList(values.get("status"), ["none", "noxfer", "progress"], "status level");
  const count = values.get("count");
  const countsBytes = inputFlags.has("count_bytes") || count?.endsWith("B");
  return {
    input: values.get("if"),
    output: values.get("of"),
    inputBlock,
    outputBlock,
    count: {
      records: count === undefined || countsBytes ? Number.POSITIVE_INFINITY : readNumber(count),
      bytes: count !== undefined && countsBytes ? readNumber(count) : Number.POSITIVE_INFINITY,
    },
    skipBytes: readPosition(
      values.get("skip") ?? values.get("iseek"),
      inputBlock,
      inputFlags.has("skip_bytes"),
    ),
    seekBytes: readPosition(
      values.get("seek") ?? values.get("oseek"),
      outputBlock,
      outputFlags.has("seek_bytes"),
    ),
    fullBlocks: inputFlags.has("fullblock"),
    appends: outputFlags.has("append"),
    conversions,
    status,
  };
}
