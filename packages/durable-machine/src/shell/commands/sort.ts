import { argumentBytes, decodeByteString, LineWriter, readText, splitLines } from "./byte-lines.ts";
import { openOutput } from "./byte-sink.ts";
import { openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell, quoteWord } from "./quoting.ts";
import { LineOrder, ORDER_LETTERS, type SortLine } from "./sort-order.ts";

const MAX_LINES = 1_000_000;

/** How many lines are sorted without a pause. */
const RUN_LENGTH = 1024;

const FAILURE = 2;
const DISORDER = 1;

const OPTIONS = `b,ignore-leading-blanks d,dictionary-order f,ignore-case g,general-numeric-sort
  h,human-numeric-sort n,numeric-sort R,random-sort r,reverse V,version-sort c ,check=? C k,key= m,merge
  o,output= s,stable S,buffer-size= t,field-separator= T,temporary-directory= ,parallel= u,unique
  z,zero-terminated`;

function readOrder(options: ParsedOptions): LineOrder {
  const tab = options.value("t");
  const separator = tab === "\\0" ? "\0" : tab === undefined ? undefined : argumentBytes(tab);
  if (separator === "") throw new UsageError("empty tab", { hint: false });
  if (separator !== undefined && separator.length > 1) {
    throw new UsageError(`multi-character tab ${quoteWord(tab ?? "")}`, { hint: false });
  }
  return new LineOrder({
    keys: options.values("k"),
    letters: [...ORDER_LETTERS].filter((letter) => options.has(letter)).join(""),
    separator,
    isStable: options.has("s", "u"),
  });
}

/** The lines of all operands. An operand that cannot be read ends the command. */
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
      const problem = reason === "Is a directory" ? "read failed" : "cannot read";
      invocation.fail(`${problem}: ${quoteForShell(operand)}: ${reason}`, FAILURE);
    }
    if (lines.length > MAX_LINES) invocation.fail("memory exhausted", FAILURE);
  }
  return lines;
}

/** Lines of the left come before equal lines of the right. */
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

/** The index of the first line that is out of order; -1 if there is none. */
async function findDisorder(
  invocation: Invocation,
  order: LineOrder,
  { lines, isUnique }: { lines: readonly string[]; isUnique: boolean },
): Promise<number> {
  let previous: SortLine | undefined;
  for (const [index, text] of lines.entries()) {
    const line = order.read(text);
    const difference = previous === undefined ? -1 : order.compare(previous, line);
    if (difference > 0 || (isUnique && difference === 0)) return index;
    previous = line;
    if (index % RUN_LENGTH === 0) await invocation.step(RUN_LENGTH / 16);
  }
  return -1;
}

export const sort: MachineCommand = {
  name: "sort",
  usage: "sort [OPTION]... [FILE]...",
  usageExitCode: FAILURE,
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    const order = readOrder(options);
    const isUnique = options.has("u");
    const end = options.has("z") ? "\0" : "\n";
    const lines = await readLines(invocation, options.operands, end);
    if (options.has("c", "check", "C")) {
      const index = await findDisorder(invocation, order, { lines, isUnique });
      if (index === -1) return 0;
      if (!options.has("C") && options.value("check") === undefined) {
        const place = `${options.operands[0] ?? "-"}:${index + 1}`;
        invocation.complain(`${place}: disorder: ${decodeByteString(lines[index] ?? "")}`);
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
