import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { randomBelow } from "./random.ts";
import { compareVersions } from "./version-order.ts";

/** The letters of options that say how keys are compared, outside of `-k` and in it. */
export const ORDER_LETTERS = "bdfghnRrV";

const KEY = /^(\d+)(?:\.(\d+))?([bdfghnRrV]*)(?:,(\d+)(?:\.(\d+))?([bdfghnRrV]*))?$/;

const UNITS = "KMGTPE";

/** A part of a line that is compared. Fields and bytes are counted from 0. */
interface SortKey {
  startField: number;
  startByte: number;
  /** The last field; undefined: it goes on to the line's end. */
  endField: number | undefined;
  /** How many bytes of the last field belong to it; 0: all. */
  endBytes: number;
  skipsStartBlanks: boolean;
  skipsEndBlanks: boolean;
  /** What is compared of its text. */
  value: (text: string) => string | number;
  compare: (left: string | number, right: string | number) => number;
  /** -1: what comes later is first. */
  sign: -1 | 1;
}

/** Reads the value of `-k`. A key without letters of its own has the inherited ones. @throws UsageError */
function parseKey(text: string, inherited: string): SortKey {
  const refuse = (reason: string): never => {
    throw new UsageError(`${reason}: invalid field specification ${quoteWord(text)}`, { hint: false });
  };
  const match = KEY.exec(text) ?? refuse("stray character in field spec");
  const [, startField, startByte = "1", startLetters = "", endField, endBytes = "0", endLetters = ""] = match;
  if (Number(startField) === 0 || Number(endField) === 0) refuse("field number is zero");
  if (Number(startByte) === 0) refuse("character offset is zero");
  const inherits = startLetters + endLetters === "";
  const letters = inherits ? inherited : startLetters + endLetters;
  return {
    startField: Number(startField) - 1,
    startByte: Number(startByte) - 1,
    endField: endField === undefined ? undefined : Number(endField) - 1,
    endBytes: Number(endBytes),
    skipsStartBlanks: (inherits ? inherited : startLetters).includes("b"),
    skipsEndBlanks: (inherits ? inherited : endLetters).includes("b"),
    value: chooseValue(letters),
    compare: letters.includes("V")
      ? (left, right) => compareVersions(String(left), String(right))
      : compareValues,
    sign: letters.includes("r") ? -1 : 1,
  };
}

/** Where a match of a pattern with the flag `y` ends. */
function endOfMatch(pattern: RegExp, line: string, start: number): number {
  pattern.lastIndex = start;
  pattern.test(line);
  return pattern.lastIndex;
}

const BLANKS = /[ \t\n]*/y;
const FIELD = /[ \t\n]*[^ \t\n]*/y;

/** Where a field ends that begins at `start`: blanks in front of a field belong to it. */
function fieldEnd(line: string, start: number, separator: string | undefined): number {
  if (separator === undefined) return endOfMatch(FIELD, line, start);
  const end = line.indexOf(separator, start);
  return end === -1 ? line.length : end;
}

function fieldStart(line: string, field: number, separator: string | undefined): number {
  let start = 0;
  for (let passed = 0; passed < field && start < line.length; passed++) {
    start = fieldEnd(line, start, separator) + (separator === undefined ? 0 : 1);
  }
  return Math.min(start, line.length);
}

function keyText(line: string, key: SortKey, separator: string | undefined): string {
  let start = fieldStart(line, key.startField, separator);
  if (key.skipsStartBlanks) start = endOfMatch(BLANKS, line, start);
  start += key.startByte;
  if (key.endField === undefined) return line.slice(start);
  let end = fieldStart(line, key.endField, separator);
  if (key.endBytes === 0) return line.slice(start, fieldEnd(line, end, separator));
  if (key.skipsEndBlanks) end = endOfMatch(BLANKS, line, end);
  return line.slice(start, end + key.endBytes);
}

function compareValues(left: string | number, right: string | number): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A number with a unit, as `du -h` and `ls -lh` write it. */
function humanValue(text: string): number {
  const [, number = "", unit = ""] = /^[ \t\n]*(-?\d*\.?\d*)([kKMGTPE]?)/.exec(text) ?? [];
  return (Number(number) || 0) * (unit === "" ? 1 : 1024 ** (UNITS.indexOf(unit.toUpperCase()) + 1));
}

/** What is compared of a key's text. */
function chooseValue(letters: string): (text: string) => string | number {
  if (letters.includes("n")) {
    return (text) => Number(/^[ \t\n]*(-?\d*\.?\d*)/.exec(text)?.[1]) || 0;
  }
  if (letters.includes("h")) return humanValue;
  if (letters.includes("g")) {
    return (text) => {
      const value = Number.parseFloat(text.replace(/inf/i, "Infinity"));
      return Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
    };
  }
  if (letters.includes("R")) {
    const ranks = new Map<string, number>();
    return (text) => {
      const rank = ranks.get(text) ?? randomBelow(2 ** 32);
      ranks.set(text, rank);
      return rank;
    };
  }
  return (text) => {
    const counted = letters.includes("d") ? text.replace(/[^A-Za-z0-9 \t\n]/g, "") : text;
    return letters.includes("f") ? counted.replace(/[a-z]+/g, (lower) => lower.toUpperCase()) : counted;
  };
}

/** A line, and what is compared of each of its keys. */
export interface SortLine {
  text: string;
  values: readonly (string | number)[];
}

/** How lines are ordered: by their keys, and what is equal by its bytes. */
export class LineOrder {
  readonly #keys: readonly SortKey[];
  readonly #separator: string | undefined;
  /** The sign of the comparison of whole lines; 0: lines with equal keys are left in their order. */
  readonly #lastResort: -1 | 0 | 1;

  /**
   * @param options.keys values of `-k`.
   * @param options.letters letters of the order that are given outside of keys.
   * @param options.isStable lines with equal keys are equal.
   * @throws UsageError
   */
  constructor(options: {
    keys: readonly string[];
    letters: string;
    separator: string | undefined;
    isStable: boolean;
  }) {
    const { letters } = options;
    // Without keys the whole line is one, unless there is nothing to it but a reversal.
    const isPlain = letters.replaceAll("r", "") === "";
    const texts = options.keys.length > 0 || isPlain ? options.keys : ["1"];
    const keys = texts.map((text) => parseKey(text, letters));
    this.#keys = keys;
    this.#separator = options.separator;
    this.#lastResort = options.isStable && keys.length > 0 ? 0 : letters.includes("r") ? -1 : 1;
  }

  read(text: string): SortLine {
    return { text, values: this.#keys.map((key) => key.value(keyText(text, key, this.#separator))) };
  }

  /** Negative: the left line comes first. */
  compare(left: SortLine, right: SortLine): number {
    for (let index = 0; index < this.#keys.length; index++) {
      const key = this.#keys[index];
      const difference = key?.compare(left.values[index] ?? "", right.values[index] ?? "") ?? 0;
      if (key !== undefined && difference !== 0) return key.sign * difference;
    }
    return this.#lastResort * compareValues(left.text, right.text);
  }
}
