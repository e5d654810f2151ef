import { randomInt } from "node:crypto";
import { argumentBytes, decodeByteString, readText, splitLines, writeLines } from "./byte-lines.ts";
import { openOutput } from "./byte-sink.ts";
import { openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteForShell, quoteWord } from "./quoting.ts";

const MAX_LINES = 1_000_000;
const RUN_LENGTH = 1024;

const FAILURE = 2;
const DISORDER = 1;

const OPTIONS = `b,ignore-leading-blanks d,dictionary-order f,ignore-case g,general-numeric-sort
  h,human-numeric-sort n,numeric-sort R,random-sort r,reverse V,version-sort c,check C k,key= m,merge
  o,output= s,stable S,buffer-size= t,field-separator= T,temporary-directory= ,parallel= u,unique
  z,zero-terminated`;

const ORDER_LETTERS = "bdfghnRrV";
const KEY = /^(\d+)(?:\.(\d+))?([bdfghnRrV]*)(?:,(\d+)(?:\.(\d+))?([bdfghnRrV]*))?$/;
/** A field includes the blanks before it. */
const FIELD = /[ \t\n]*[^ \t\n]*/g;
const NUMBER = /^[ \t\n]*(-?\d*\.?\d*)([kKMGTPE]?)/;
const UNITS = " KMGTPE";
const VERSIONS = new Intl.Collator("en", { numeric: true });

type Value = string | number;

interface SortKey {
  valueOf: (fields: readonly string[]) => Value;
  compare: (left: Value, right: Value) => number;
}

interface SortLine {
  text: string;
  values: readonly Value[];
}

function compareValues(left: Value, right: Value): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareVersions(left: Value, right: Value): number {
  return VERSIONS.compare(String(left), String(right));
}

function newValueReader(letters: string): (text: string) => Value {
  if (/[hn]/.test(letters)) {
    return (text) => {
      const [, number, unit = ""] = NUMBER.exec(text) ?? [];
      // Without a unit the exponent is 0.
      const exponent = letters.includes("h") ? UNITS.indexOf(unit.toUpperCase()) : 0;
      return (Number(number) || 0) * 1024 ** exponent;
    };
  }
  if (letters.includes("g")) {
    return (text) => {
      const value = Number.parseFloat(text);
      return Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
    };
  }
  if (letters.includes("R")) {
    const ranks = new Map<string, number>();
    return (text) => {
      const rank = ranks.get(text) ?? randomInt(2 ** 32);
      ranks.set(text, rank);
      return rank;
    };
  }
  return (text) => {
    const counted = letters.includes("d") ? text.replace(/[^A-Za-z0-9 \t\n]/g, "") : text;
    return letters.includes("f") ? counted.replace(/[a-z]+/g, (lower) => lower.toUpperCase()) : counted;
  };
}

/** Reads the value of `-k`. A key without letters uses the command's. @throws UsageError */
function parseKey(key: string, inherited: string, separator = ""): SortKey {
  const match = KEY.exec(key) ?? [];
  const [, startField, startByte = "1", startLetters = "", endField, endBytes, endLetters = ""] = match;
  if (startField === undefined || [startField, startByte, endField].some((number) => Number(number) === 0)) {
    throw new UsageError(`-: invalid field specification ${quoteWord(key)}`, { hint: false });
  }
  const letters = startLetters + endLetters || inherited;
  const end = endField === undefined ? undefined : Number(endField);
  // With `b`, bytes are counted from the first non-blank character of their field.
  const firstByte = (text: string) => (letters.includes("b") ? text.search(/[^ \t\n]|$/) : 0);
  const textOf = (fields: readonly string[]) => {
    const chosen = fields.slice(Number(startField) - 1, end);
    const last = chosen.at(-1);
    if (Number(endBytes) > 0 && last !== undefined && fields.length >= (end ?? 0)) {
      chosen[chosen.length - 1] = last.slice(0, firstByte(last) + Number(endBytes));
    }
    const text = chosen.join(separator);
    return text.slice(firstByte(text) + Number(startByte) - 1);
  };
  const toValue = newValueReader(letters);
  const compare = letters.includes("V") ? compareVersions : compareValues;
  const sign = letters.includes("r") ? -1 : 1;
  return {
    valueOf: (fields) => toValue(textOf(fields)),
    compare: (left, right) => sign * compare(left, right),
  };
}

async function readLines(invocation: Invocation, operands: readonly string[], end: string) {
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

class Sorter {
  readonly #invocation: Invocation;
  readonly #keys: readonly SortKey[];
  readonly #fieldsOf: (line: string) => readonly string[];
  /** Zero if lines with equal keys are equal. */
  readonly #lastResort: -1 | 0 | 1;

  constructor(invocation: Invocation, options: ParsedOptions) {
    this.#invocation = invocation;
    const tab = options.value("t");
    const separator = tab === "\\0" ? "\0" : tab && argumentBytes(tab);
    if (separator !== undefined && separator.length !== 1) {
      throw new UsageError(`multi-character tab ${quoteWord(tab ?? "")}`, { hint: false });
    }
    const keys = options.values("k");
    const letters = [...ORDER_LETTERS].filter((letter) => options.has(letter)).join("");
    const isPlain = keys.length === 0 && letters.replace("r", "") === "";
    const texts = keys.length === 0 && !isPlain ? ["1"] : keys;
    this.#keys = texts.map((key) => parseKey(key, letters, separator));
    this.#lastResort = options.has("s", "u") && !isPlain ? 0 : letters.includes("r") ? -1 : 1;
    if (keys.length === 0) this.#fieldsOf = (line) => [line];
    else if (separator === undefined) this.#fieldsOf = (line) => line.match(FIELD) ?? [];
    else this.#fieldsOf = (line) => line.split(separator);
  }

  #read(text: string): SortLine {
    if (this.#keys.length === 0) return { text, values: [] };
    const fields = this.#fieldsOf(text);
    return { text, values: this.#keys.map((key) => key.valueOf(fields)) };
  }

  compare(left: SortLine, right: SortLine): number {
    for (let index = 0; index < this.#keys.length; index++) {
      const difference = this.#keys[index]?.compare(left.values[index] ?? "", right.values[index] ?? "");
      if (difference) return difference;
    }
    return this.#lastResort * compareValues(left.text, right.text);
  }

  /** Sorts short runs, and merges neighbours until one is left. */
  async sort(lines: readonly string[]): Promise<SortLine[]> {
    let runs: SortLine[][] = [];
    for (let start = 0; start < lines.length; start += RUN_LENGTH) {
      const run = lines.slice(start, start + RUN_LENGTH).map((line) => this.#read(line));
      runs.push(run.sort((left, right) => this.compare(left, right)));
      await this.#invocation.step(RUN_LENGTH / 4);
    }
    while (runs.length > 1) {
      const merged: SortLine[][] = [];
      for (let index = 0; index < runs.length; index += 2) {
        merged.push(await this.#merge(runs[index] ?? [], runs[index + 1] ?? []));
      }
      runs = merged;
    }
    return runs[0] ?? [];
  }

  async #merge(left: SortLine[], right: SortLine[]): Promise<SortLine[]> {
    const merged: SortLine[] = [];
    let i = 0;
    let j = 0;
    for (;;) {
      const a = left[i];
      const b = right[j];
      if (a === undefined || b === undefined) return merged.concat(left.slice(i), right.slice(j));
      const isLeft = this.compare(a, b) <= 0;
      merged.push(isLeft ? a : b);
      if (isLeft) i++;
      else j++;
      if (merged.length % RUN_LENGTH === 0) await this.#invocation.step(RUN_LENGTH / 16);
    }
  }

  /** @returns -1 if the lines are in order. */
  async findDisorder(lines: readonly string[], isUnique: boolean): Promise<number> {
    let previous: SortLine | undefined;
    for (const [index, text] of lines.entries()) {
      const line = this.#read(text);
      const difference = previous === undefined ? -1 : this.compare(previous, line);
      if (difference > 0 || (isUnique && difference === 0)) return index;
      previous = line;
      if (index % RUN_LENGTH === 0) await this.#invocation.step(RUN_LENGTH / 16);
    }
    return -1;
  }
}

export const sort: MachineCommand = {
  name: "sort",
  usage: "sort [OPTION]... [FILE]...",
  usageExitCode: FAILURE,
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    const sorter = new Sorter(invocation, options);
    const isUnique = options.has("u");
    const end = options.has("z") ? "\0" : "\n";
    const lines = await readLines(invocation, options.operands, end);
    if (options.has("c", "C")) {
      const index = await sorter.findDisorder(lines, isUnique);
      if (index === -1) return 0;
      if (!options.has("C")) {
        const place = `${options.operands[0] ?? "-"}:${index + 1}`;
        invocation.complain(`${place}: disorder: ${decodeByteString(lines[index] ?? "")}`);
      }
      return DISORDER;
    }
    const sorted = await sorter.sort(lines);
    const sink = openOutput(invocation, options.value("o"), FAILURE);
    for (let start = 0; start < sorted.length; start += RUN_LENGTH) {
      const shown = sorted.slice(start, start + RUN_LENGTH).filter((line, index) => {
        const previous = sorted[start + index - 1];
        return !isUnique || previous === undefined || sorter.compare(previous, line) !== 0;
      });
      const texts = shown.map(({ text }) => text);
      await writeLines(sink, texts, end);
    }
    await sink.flush();
    return 0;
  },
};
