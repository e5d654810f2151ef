import { argumentBytes, LineWriter, readText } from "./byte-lines.ts";
import { type ByteSink, openSink, outputSink } from "./byte-sink.ts";
import { openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell, quoteWord } from "./quoting.ts";
import { randomBelow } from "./random.ts";
import { ORDER_LETTERS, parseKey, refuseMixedOrders, wholeLineKey } from "./sort-keys.ts";
import { LineOrder, type SortLine } from "./sort-order.ts";

/** More lines than this do not fit, however short they are. */
const MOST_LINES = 1_000_000;

/** Sorted at once, without a turn for others in between. */
const RUN_LENGTH = 1024;

const FAILURE = 2;
const DISORDER = 1;

const SORT_WORDS: Record<string, string> = {
  "general-numeric": "g",
  "human-numeric": "h",
  month: "M",
  numeric: "n",
  random: "R",
  version: "V",
};

/** The letters of all orders that are given outside of keys. */
function globalLetters(options: ParsedOptions): string {
  const letters = [...ORDER_LETTERS].filter((letter) => options.has(letter));
  for (const word of options.values("sort")) {
    const letter = SORT_WORDS[word];
    if (letter === undefined) throw new UsageError(`invalid argument ${quoteWord(word)} for '--sort'`);
    letters.push(letter);
  }
  return letters.join("");
}

function readSeparator(options: ParsedOptions): string | undefined {
  const separators = options.values("t").map((text) => {
    if (text === "") throw new UsageError("empty tab", { hint: false });
    if (text === "\\0") return "\0";
    const separator = argumentBytes(text);
    if (separator.length > 1) {
      throw new UsageError(`multi-character tab ${quoteWord(text)}`, { hint: false });
    }
    return separator;
  });
  if (new Set(separators).size > 1) throw new UsageError("incompatible tabs", { hint: false });
  return separators[0];
}

function readOrder(options: ParsedOptions): LineOrder {
  const letters = globalLetters(options);
  const keys = options.values("k").map((text) => parseKey(text, letters));
  // Turning lines round needs no key; everything else compares the whole line as one.
  if (keys.length === 0 && letters.replaceAll("r", "") !== "") keys.push(wholeLineKey(letters));
  for (const key of keys) refuseMixedOrders(key);
  return new LineOrder({
    keys,
    separator: readSeparator(options),
    isReversed: letters.includes("r"),
    isStable: options.has("s", "u"),
    salt: randomBelow(2 ** 32),
  });
}

/** Reads the lines of one operand. Its refusal ends the command. */
async function readLines(
  invocation: Invocation,
  operand: string,
  { end, held }: { end: string; held: number },
): Promise<{ lines: string[]; length: number }> {
  let text = "";
  try {
    const source = await openOperand(invocation, operand);
    text = await readText(invocation, source, { held, exitCode: FAILURE });
  } catch (error) {
    const reason = errorText(error);
    const what = reason === "Is a directory" ? "read failed" : "cannot read";
    invocation.fail(`${what}: ${quoteForShell(operand)}: ${reason}`, FAILURE);
  }
  const lines = text.split(end);
  if (lines.at(-1) === "") lines.pop();
  if (lines.length > MOST_LINES) invocation.fail("memory exhausted", FAILURE);
  return { lines, length: text.length };
}

async function decorate(invocation: Invocation, order: LineOrder, lines: string[]): Promise<SortLine[]> {
  const decorated: SortLine[] = [];
  for (let start = 0; start < lines.length; start += RUN_LENGTH) {
    for (const line of lines.slice(start, start + RUN_LENGTH)) decorated.push(order.read(line));
    await invocation.step(RUN_LENGTH / 16);
  }
  return decorated;
}

/** Of equal lines those of the left come first. */
async function mergeLines(
  invocation: Invocation,
  order: LineOrder,
  left: readonly SortLine[],
  right: readonly SortLine[],
): Promise<SortLine[]> {
  const merged: SortLine[] = [];
  let i = 0;
  let j = 0;
  for (;;) {
    const a = left[i];
    const b = right[j];
    if (a === undefined || b === undefined) break;
    if (order.compare(a, b) <= 0) {
      merged.push(a);
      i++;
    } else {
      merged.push(b);
      j++;
    }
    if (merged.length % RUN_LENGTH === 0) await invocation.step(RUN_LENGTH / 16);
  }
  return merged.concat(left.slice(i), right.slice(j));
}

/** Merges neighbours until one list is left. */
async function mergeAll(
  invocation: Invocation,
  order: LineOrder,
  lists: readonly (readonly SortLine[])[],
): Promise<readonly SortLine[]> {
  let rest = lists;
  while (rest.length > 1) {
    const merged: (readonly SortLine[])[] = [];
    for (let index = 0; index < rest.length; index += 2) {
      merged.push(await mergeLines(invocation, order, rest[index] ?? [], rest[index + 1] ?? []));
    }
    rest = merged;
  }
  return rest[0] ?? [];
}

async function sortLines(
  invocation: Invocation,
  order: LineOrder,
  lines: readonly SortLine[],
): Promise<readonly SortLine[]> {
  const runs: SortLine[][] = [];
  for (let start = 0; start < lines.length; start += RUN_LENGTH) {
    runs.push(lines.slice(start, start + RUN_LENGTH).sort((left, right) => order.compare(left, right)));
    await invocation.step(RUN_LENGTH / 4);
  }
  return await mergeAll(invocation, order, runs);
}

/** The number of the first line that is out of order, from 1; undefined: there is none. */
async function findDisorder(
  invocation: Invocation,
  order: LineOrder,
  { lines, isUnique }: { lines: readonly SortLine[]; isUnique: boolean },
): Promise<number | undefined> {
  for (let index = 1; index < lines.length; index++) {
    const previous = lines[index - 1];
    const line = lines[index];
    if (previous === undefined || line === undefined) break;
    const difference = order.compare(previous, line);
    if (difference > 0 || (isUnique && difference === 0)) return index + 1;
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

async function check(
  invocation: Invocation,
  order: LineOrder,
  { options, end, isQuiet }: { options: ParsedOptions; end: string; isQuiet: boolean },
): Promise<number> {
  const [operand = "-", extra] = options.operands;
  if (extra !== undefined) {
    const letter = isQuiet ? "C" : "c";
    invocation.fail(`extra operand ${quoteWord(extra)} not allowed with -${letter}`, FAILURE);
  }
  const { lines: texts } = await readLines(invocation, operand, { end, held: 0 });
  const lines = await decorate(invocation, order, texts);
  const number = await findDisorder(invocation, order, { lines, isUnique: options.has("u") });
  if (number === undefined) return 0;
  if (!isQuiet) {
    const bytes = Uint8Array.from(texts[number - 1] ?? "", (character) => character.charCodeAt(0));
    invocation.complain(`${operand}:${number}: disorder: ${new TextDecoder().decode(bytes)}`);
  }
  return DISORDER;
}

async function writeLines(
  invocation: Invocation,
  order: LineOrder,
  { lines, options, end }: { lines: readonly SortLine[]; options: ParsedOptions; end: string },
): Promise<void> {
  const writer = new LineWriter(openOutput(invocation, options.value("o")));
  const isUnique = options.has("u");
  let previous: SortLine | undefined;
  for (const line of lines) {
    if (isUnique && previous !== undefined && order.compare(previous, line) === 0) continue;
    previous = line;
    await writer.write(line.text + end);
  }
  await writer.flush();
}

/** Whether it only checks, and whether it then says nothing. */
function checkKind(options: ParsedOptions): "quiet" | "loud" | undefined {
  const word = options.value("check");
  if (options.has("C") || word === "quiet" || word === "silent") return "quiet";
  return options.has("c", "check") ? "loud" : undefined;
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
      "i,ignore-nonprinting",
      "M,month-sort",
      "n,numeric-sort",
      "R,random-sort",
      "r,reverse",
      "V,version-sort",
      ",sort=",
      ",random-source=",
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
      ",batch-size=",
      ",compress-program=",
      "u,unique",
      "z,zero-terminated",
    ]);
    const order = readOrder(options);
    const end = options.has("z") ? "\0" : "\n";
    const kind = checkKind(options);
    if (kind !== undefined)
      return await check(invocation, order, { options, end, isQuiet: kind === "quiet" });
    const lists: SortLine[][] = [];
    let held = 0;
    for (const operand of options.operands.length === 0 ? ["-"] : options.operands) {
      const { lines, length } = await readLines(invocation, operand, { end, held });
      held += length;
      lists.push(await decorate(invocation, order, lines));
    }
    const lines = options.has("m")
      ? await mergeAll(invocation, order, lists)
      : await sortLines(invocation, order, lists.flat());
    await writeLines(invocation, order, { lines, options, end });
    return 0;
  },
};
