import { fromByteString } from "../byte-strings.ts";
import { argumentBytes, LineWriter, readText, splitLines } from "./byte-lines.ts";
import { type ByteSink, openSink, outputSink } from "./byte-sink.ts";
import { openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell, quoteWord } from "./quoting.ts";
import { LineOrder, ORDER_LETTERS, type SortLine } from "./sort-order.ts";

/** More lines than this do not fit, however short they are. */
const MAX_LINES = 1_000_000;

/** Lines that are sorted without a pause. */
const RUN_LENGTH = 1024;

const FAILURE = 2;
const DISORDER = 1;

function readOrder(options: ParsedOptions): LineOrder {
  const letters = [...ORDER_LETTERS].filter((letter) => options.has(letter)).join("");
  const tab = options.value("t");
  const separator = tab === "\\0" ? "\0" : tab === undefined ? undefined : argumentBytes(tab);
  if (separator === "") throw new UsageError("empty tab", { hint: false });
  if (separator !== undefined && separator.length > 1) {
    throw new UsageError(`multi-character tab ${quoteWord(tab ?? "")}`, { hint: false });
  }
  return new LineOrder({
    keys: options.values("k"),
    letters,
    separator,
    isStable: options.has("s", "u"),
  });
}

/** The lines of all operands. The refusal of one ends the command. */
async function readLines(
  invocation: Invocation,
  operands: readonly string[],
  end: string,
): Promise<string[]> {
  const lines: string[] = [];
  let held = 0;
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    try {
      const source = await openOperand(invocation, operand);
      const text = await readText(invocation, source, { held, exitCode: FAILURE });
      held += text.length;
      for (const line of splitLines(text, end)) lines.push(line);
    } catch (error) {
      const reason = errorText(error);
      const what = reason === "Is a directory" ? "read failed" : "cannot read";
      invocation.fail(`${what}: ${quoteForShell(operand)}: ${reason}`, FAILURE);
    }
    if (lines.length > MAX_LINES) invocation.fail("memory exhausted", FAILURE);
  }
  return lines;
}

/** Of equal lines those of the left come first. */
async function merge(
  invocation: Invocation,
  order: LineOrder,
  { left, right }: { left: readonly SortLine[]; right: readonly SortLine[] },
): Promise<SortLine[]> {
  const merged: SortLine[] = [];
  let i = 0;
  let j = 0;
  for (;;) {
    const a = left[i];
    const b = right[j];
    if (a === undefined || b === undefined) return merged.concat(left.slice(i), right.slice(j));
    const isLeft = order.compare(a, b) <= 0;
    merged.push(isLeft ? a : b);
    if (isLeft) i++;
    else j++;
    if (merged.length % RUN_LENGTH === 0) await invocation.step(RUN_LENGTH / 16);
  }
}

/** Sorts short runs, and merges neighbours until one is left. */
async function sortLines(
  invocation: Invocation,
  order: LineOrder,
  lines: readonly string[],
): Promise<readonly SortLine[]> {
  let runs: SortLine[][] = [];
  for (let start = 0; start < lines.length; start += RUN_LENGTH) {
    const run = lines.slice(start, start + RUN_LENGTH).map((line) => order.read(line));
    runs.push(run.sort((left, right) => order.compare(left, right)));
    await invocation.step(RUN_LENGTH / 4);
  }
  while (runs.length > 1) {
    const merged: SortLine[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(await merge(invocation, order, { left: runs[index] ?? [], right: runs[index + 1] ?? [] }));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** The number of the first line that is out of order, from 1; undefined: there is none. */
async function findDisorder(
  invocation: Invocation,
  order: LineOrder,
  { lines, isUnique }: { lines: readonly string[]; isUnique: boolean },
): Promise<number | undefined> {
  let previous: SortLine | undefined;
  for (const [index, text] of lines.entries()) {
    const line = order.read(text);
    const difference = previous === undefined ? -1 : order.compare(previous, line);
    if (difference > 0 || (isUnique && difference === 0)) return index + 1;
    previous = line;
    if (index % RUN_LENGTH === 0) await invocation.step(RUN_LENGTH / 16);
  }
  return undefined;
}

function openOutput(invocation: Invocation, output: string | undefined): ByteSink {
  if (output === undefined) return outputSink(invocation);
  try {
    return openSink(invocation, output);
  } catch (error) {
    invocation.fail(`open failed: ${quoteForShell(output)}: ${errorText(error)}`, FAILURE);
  }
}

export const sort: MachineCommand = {
  name: "sort",
  usage: "sort [OPTION]... [FILE]...",
  usageExitCode: FAILURE,
  async run(invocation) {
    const options = invocation.options([
      "b,ignore-leading-blanks",
      "d,dictionary-order",
      "f,ignore-case",
      "g,general-numeric-sort",
      "h,human-numeric-sort",
      "n,numeric-sort",
      "R,random-sort",
      "r,reverse",
      "V,version-sort",
      "c",
      ",check=?",
      "C",
      "k,key=",
      "m,merge",
      "o,output=",
      "s,stable",
      "S,buffer-size=",
      "t,field-separator=",
      "T,temporary-directory=",
      ",parallel=",
      "u,unique",
      "z,zero-terminated",
    ]);
    const order = readOrder(options);
    const isUnique = options.has("u");
    const end = options.has("z") ? "\0" : "\n";
    const lines = await readLines(invocation, options.operands, end);
    if (options.has("c", "check", "C")) {
      const number = await findDisorder(invocation, order, { lines, isUnique });
      if (number === undefined) return 0;
      if (!options.has("C") && options.value("check") === undefined) {
        const text = new TextDecoder().decode(fromByteString(lines[number - 1] ?? ""));
        invocation.complain(`${options.operands[0] ?? "-"}:${number}: disorder: ${text}`);
      }
      return DISORDER;
    }
    const sorted = await sortLines(invocation, order, lines);
    const writer = new LineWriter(openOutput(invocation, options.value("o")));
    let previous: SortLine | undefined;
    for (const line of sorted) {
      const isRepeated = isUnique && previous !== undefined && order.compare(previous, line) === 0;
      if (!isRepeated) await writer.write(line.text + end);
      previous = line;
    }
    await writer.flush();
    return 0;
  },
};
