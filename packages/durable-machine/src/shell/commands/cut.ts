import { argumentBytes, LineWriter, lineGroups } from "./byte-lines.ts";
import { outputSink } from "./byte-sink.ts";
import { openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell, quoteWord } from "./quoting.ts";

/** Positions from `first` to `last`, counted from 1. */
interface Range {
  first: number;
  last: number;
}

function readRange(text: string, ofFields: boolean): Range {
  const [, low = "", dash, high = ""] = /^(\d*)(-?)(\d*)$/.exec(text) ?? [];
  if (dash === undefined) {
    throw new UsageError(
      ofFields
        ? `invalid field value ${quoteWord(text.replace(/^[\d-]*/, ""))}`
        : `invalid byte/character position ${quoteWord(text.replace(/^[\d-]*/, ""))}`,
    );
  }
  if (text === "-") throw new UsageError("invalid range with no endpoint: -");
  const first = low === "" && dash !== "" ? 1 : Number(low);
  const last = dash === "" ? first : high === "" ? Number.POSITIVE_INFINITY : Number(high);
  if (first === 0) {
    throw new UsageError(
      ofFields ? "fields are numbered from 1" : "byte/character positions are numbered from 1",
    );
  }
  if (last < first) throw new UsageError("invalid decreasing range");
  return { first, last };
}

/** Ranges in their order; those that overlap are one. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((left, right) => left.first - right.first)) {
    const previous = merged.at(-1);
    if (previous !== undefined && range.first <= previous.last) {
      previous.last = Math.max(previous.last, range.last);
    } else merged.push({ ...range });
  }
  return merged;
}

function complement(ranges: readonly Range[]): Range[] {
  const gaps: Range[] = [];
  let next = 1;
  for (const { first, last } of ranges) {
    if (first > next) gaps.push({ first: next, last: first - 1 });
    next = last + 1;
  }
  if (next !== Number.POSITIVE_INFINITY) gaps.push({ first: next, last: Number.POSITIVE_INFINITY });
  return gaps;
}

function readRanges(options: ParsedOptions): { ranges: Range[]; ofFields: boolean } {
  const lists = options.given.filter(({ key }) => key === "b" || key === "c" || key === "f");
  const [list, second] = lists;
  if (list === undefined) throw new UsageError("you must specify a list of bytes, characters, or fields");
  if (second !== undefined) throw new UsageError("only one list may be specified");
  const ofFields = list.key === "f";
  const ranges = mergeRanges((list.value ?? "").split(/[, \t]/).map((text) => readRange(text, ofFields)));
  return { ranges: options.has("complement") ? complement(ranges) : ranges, ofFields };
}

function readDelimiter(options: ParsedOptions, ofFields: boolean): string {
  const text = options.value("d");
  if (text === undefined) return "\t";
  const delimiter = argumentBytes(text);
  if (delimiter.length > 1) throw new UsageError("the delimiter must be a single character");
  if (!ofFields) {
    throw new UsageError("an input delimiter may be specified only when operating on fields");
  }
  return delimiter === "" ? "\0" : delimiter;
}

function pick<Item>(items: readonly Item[], ranges: readonly Range[]): Item[] {
  return ranges.flatMap(({ first, last }) => items.slice(first - 1, last));
}

/** What is left of a line; undefined: not even its end. */
type Cut = (line: string) => string | undefined;

function chooseCut(options: ParsedOptions): Cut {
  const { ranges, ofFields } = readRanges(options);
  const delimiter = readDelimiter(options, ofFields);
  const onlyDelimited = options.has("s");
  const output = options.value("output-delimiter");
  if (!ofFields) {
    if (onlyDelimited) {
      throw new UsageError("suppressing non-delimited lines makes sense\n\tonly when operating on fields");
    }
    const between = output === undefined ? "" : argumentBytes(output);
    return (line) =>
      ranges
        .filter(({ first }) => first <= line.length)
        .map(({ first, last }) => line.slice(first - 1, last))
        .join(between);
  }
  const between = output === undefined ? delimiter : argumentBytes(output);
  return (line) => {
    if (!line.includes(delimiter)) return onlyDelimited ? undefined : line;
    return pick(line.split(delimiter), ranges).join(between);
  };
}

async function cutFile(
  invocation: Invocation,
  operand: string,
  { cut, writer, end }: { cut: Cut; writer: LineWriter; end: string },
): Promise<void> {
  try {
    const source = await openOperand(invocation, operand);
    for await (const lines of lineGroups(invocation, source, end)) {
      for (const line of lines) {
        const left = cut(line);
        if (left !== undefined) await writer.write(left + end);
      }
    }
  } catch (error) {
    invocation.complain(`${quoteForShell(operand)}: ${errorText(error)}`);
  }
}

export const cut: MachineCommand = {
  name: "cut",
  usage: "cut OPTION... [FILE]...",
  async run(invocation) {
    const options = invocation.options([
      "b,bytes=",
      "c,characters=",
      "d,delimiter=",
      "f,fields=",
      "n",
      ",complement",
      "s,only-delimited",
      ",output-delimiter=",
      "z,zero-terminated",
    ]);
    const writer = new LineWriter(outputSink(invocation));
    const end = options.has("z") ? "\0" : "\n";
    const settings = { cut: chooseCut(options), writer, end };
    for (const operand of options.operands.length === 0 ? ["-"] : options.operands) {
      await cutFile(invocation, operand, settings);
    }
    await writer.flush();
  },
};
