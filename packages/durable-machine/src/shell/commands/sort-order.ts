import { randomInt } from "node:crypto";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

/** The letters of ordering options, which may also follow a key of `-k`. */
export const ORDER_LETTERS = "bdfghnRrV";

const KEY = /^(\d+)(?:\.(\d+))?([bdfghnRrV]*)(?:,(\d+)(?:\.(\d+))?([bdfghnRrV]*))?$/;

const NUMBER = /^[ \t\n]*(-?\d*\.?\d*)([kKMGTPE]?)/;
const UNITS = "KMGTPE";

const VERSION_ORDER = new Intl.Collator("en", { numeric: true });

/** A part of a line that is compared. Fields and bytes are counted from 0. */
interface SortKey {
  startField: number;
  startByte: number;
  /** The last field; undefined if the key goes on to the end of the line. */
  endField: number | undefined;
  /** The number of bytes of the last field; 0 for all. */
  endBytes: number;
  skipsStartBlanks: boolean;
  skipsEndBlanks: boolean;
  /** Turns the text of the key into a value to compare. */
  toValue: (text: string) => string | number;
  compare: (left: string | number, right: string | number) => number;
  sign: -1 | 1;
}

/** Reads the value of `-k`. A key without letters has those of the command. @throws UsageError */
function parseKey(text: string, inherited: string): SortKey {
  const match = KEY.exec(text);
  const [, startField, startByte = "1", startLetters = "", endField, endBytes = "0", endLetters = ""] =
    match ?? [];
  if (match === null || [startField, startByte, endField].some((number) => Number(number) === 0)) {
    throw new UsageError(`-: invalid field specification ${quoteWord(text)}`, { hint: false });
  }
  const inherits = startLetters + endLetters === "";
  const letters = inherits ? inherited : startLetters + endLetters;
  return {
    startField: Number(startField) - 1,
    startByte: Number(startByte) - 1,
    endField: endField === undefined ? undefined : Number(endField) - 1,
    endBytes: Number(endBytes),
    skipsStartBlanks: (inherits ? inherited : startLetters).includes("b"),
    skipsEndBlanks: (inherits ? inherited : endLetters).includes("b"),
    toValue: newValueReader(letters),
    compare: letters.includes("V")
      ? (left, right) => VERSION_ORDER.compare(String(left), String(right))
      : compareValues,
    sign: letters.includes("r") ? -1 : 1,
  };
}

/** The end of the match of a sticky pattern. */
function endOfMatch(pattern: RegExp, line: string, start: number): number {
  pattern.lastIndex = start;
  pattern.test(line);
  return pattern.lastIndex;
}

const BLANKS = /[ \t\n]*/y;
/** A field includes the blanks before it. */
const FIELD = /[ \t\n]*[^ \t\n]*/y;

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

function newValueReader(letters: string): (text: string) => string | number {
  if (letters.includes("n")) return (text) => Number(NUMBER.exec(text)?.[1]) || 0;
  if (letters.includes("h")) {
    return (text) => {
      const [, number, unit = ""] = NUMBER.exec(text) ?? [];
      const exponent = unit === "" ? 0 : UNITS.indexOf(unit.toUpperCase()) + 1;
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

/** A line and the values of its keys. */
export interface SortLine {
  text: string;
  values: readonly (string | number)[];
}

/** Compares lines by their keys, and lines with equal keys by their bytes. */
export class LineOrder {
  readonly #keys: readonly SortKey[];
  readonly #separator: string | undefined;
  /** The sign of the comparison of whole lines; 0 if lines with equal keys are equal. */
  readonly #lastResort: -1 | 0 | 1;

  /**
   * @param options.keys values of `-k`.
   * @param options.letters letters of the ordering options.
   * @throws UsageError
   */
  constructor(options: {
    keys: readonly string[];
    letters: string;
    separator: string | undefined;
    isStable: boolean;
  }) {
    const { letters } = options;
    // The comparison of whole lines needs no key.
    const isPlain = letters.replaceAll("r", "") === "";
    const texts = options.keys.length > 0 || isPlain ? options.keys : ["1"];
    this.#keys = texts.map((text) => parseKey(text, letters));
    this.#separator = options.separator;
    this.#lastResort = options.isStable && texts.length > 0 ? 0 : letters.includes("r") ? -1 : 1;
  }

  read(text: string): SortLine {
    return { text, values: this.#keys.map((key) => key.toValue(keyText(text, key, this.#separator))) };
  }

  /** Negative if the left line comes first. */
  compare(left: SortLine, right: SortLine): number {
    for (let index = 0; index < this.#keys.length; index++) {
      const key = this.#keys[index];
      const difference = key?.compare(left.values[index] ?? "", right.values[index] ?? "") ?? 0;
      if (key !== undefined && difference !== 0) return key.sign * difference;
    }
    return this.#lastResort * compareValues(left.text, right.text);
  }
}
