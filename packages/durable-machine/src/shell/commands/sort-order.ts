import { keyText, type SortKey } from "./sort-keys.ts";
import { compareVersions } from "./version-order.ts";

/** Negative: the left one comes first. */
export type Compare<Item> = (left: Item, right: Item) => number;

export function compareBytes(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Digits that a number holds exactly. */
const EXACT_DIGITS = 15;

const UNITS = "KMGTPEZY";

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

const GENERAL_NUMBER =
  /^[\t-\r ]*([-+]?)(?:(inf(?:inity)?)|(nan)|(0x[0-9a-f]+)|(\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?))/i;

/** A key's value, as much of it as its order needs. */
interface KeyValue {
  /** Compared first. */
  rank: number;
  /** Compared where the ranks are equal. */
  text: string;
}

interface DecimalNumber {
  isNegative: boolean;
  whole: string;
  fraction: string;
}

function withoutEndingZeros(digits: string): string {
  let length = digits.length;
  while (digits.charAt(length - 1) === "0") length--;
  return digits.slice(0, length);
}

function readDecimal(text: string): DecimalNumber {
  const [, sign = "", whole = "", fraction = ""] = /^[ \t\n]*(-?)(\d*)(?:\.(\d*))?/.exec(text) ?? [];
  const significant = { whole: whole.replace(/^0+/, ""), fraction: withoutEndingZeros(fraction) };
  return { ...significant, isNegative: sign === "-" && significant.whole + significant.fraction !== "" };
}

function compareSizes(left: DecimalNumber, right: DecimalNumber): number {
  if (left.whole.length !== right.whole.length) return left.whole.length - right.whole.length;
  return compareBytes(left.whole, right.whole) || compareBytes(left.fraction, right.fraction);
}

function numberValue(text: string): KeyValue {
  const { isNegative, whole, fraction } = readDecimal(text);
  const size = Number(`${whole}.${fraction}0`);
  return { rank: isNegative ? -size : size, text };
}

function compareNumbers(left: KeyValue, right: KeyValue): number {
  if (left.rank !== right.rank) return left.rank < right.rank ? -1 : 1;
  if (left.text.length <= EXACT_DIGITS && right.text.length <= EXACT_DIGITS) return 0;
  // Rounding keeps the order, but not the difference.
  const a = readDecimal(left.text);
  const b = readDecimal(right.text);
  if (a.isNegative !== b.isNegative) return a.isNegative ? -1 : 1;
  return a.isNegative ? compareSizes(b, a) : compareSizes(a, b);
}

function humanUnit(text: string): number {
  const [, sign, digits = "", unit = ""] = /^[ \t\n]*(-?)([\d.]*)(.?)/.exec(text) ?? [];
  if (!/[1-9]/.test(digits)) return 0;
  const order = unit === "" ? 0 : UNITS.indexOf(unit === "k" ? "K" : unit) + 1;
  return sign === "-" ? -order : order;
}

/** Numbers behind what is no number, which is behind nothing. */
function generalRank(text: string): { isNumber: number; rank: number } {
  const match = GENERAL_NUMBER.exec(text);
  if (match === null) return { isNumber: 0, rank: 0 };
  const [, sign, infinity, notNumber, hexadecimal, decimal] = match;
  if (notNumber !== undefined) return { isNumber: 1, rank: 0 };
  const size = infinity !== undefined ? Number.POSITIVE_INFINITY : Number(hexadecimal ?? decimal);
  return { isNumber: 2, rank: sign === "-" ? -size : size };
}

function monthRank(text: string): number {
  return MONTHS.indexOf(
    text
      .replace(/^[ \t\n]+/, "")
      .slice(0, 3)
      .toUpperCase(),
  );
}

/** A hash with a salt: equal texts stay together, in an order that nobody knows before. */
function randomRank(text: string, salt: number): number {
  let hash = salt;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash ^= hash >>> 15;
  }
  return Math.imul(hash ^ (hash >>> 13), 0x5bd1e995) >>> 0;
}

/** What is left of a text where some bytes do not count, or not their case. */
function translate(text: string, order: ReadonlySet<string>): string {
  let translated = text;
  if (order.has("d")) translated = translated.replace(/[^A-Za-z0-9 \t\n]/g, "");
  else if (order.has("i")) translated = translated.replace(/[^ -~]/g, "");
  if (order.has("f")) translated = translated.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
  return translated;
}

/** An order among keys: what is taken from each text once, and how two of these compare. */
interface KeyOrder {
  valueOf(text: string): KeyValue;
  compare: Compare<KeyValue>;
}

function compareValues(left: KeyValue, right: KeyValue): number {
  if (left.rank !== right.rank) return left.rank < right.rank ? -1 : 1;
  return compareBytes(left.text, right.text);
}

function chooseOrder(order: ReadonlySet<string>, salt: number): KeyOrder {
  const compare = compareValues;
  if (order.has("n")) return { compare: compareNumbers, valueOf: numberValue };
  if (order.has("h")) {
    // The unit counts before the number, as it stands.
    return {
      valueOf: (text) => ({ rank: humanUnit(text), text }),
      compare: (left, right) =>
        left.rank - right.rank || compareNumbers(numberValue(left.text), numberValue(right.text)),
    };
  }
  if (order.has("g")) {
    return {
      valueOf: (text) => {
        const { isNumber, rank } = generalRank(text);
        return { rank, text: String(isNumber) };
      },
      compare: (left, right) =>
        compareBytes(left.text, right.text) ||
        (left.rank === right.rank ? 0 : left.rank < right.rank ? -1 : 1),
    };
  }
  if (order.has("M")) return { compare, valueOf: (text) => ({ rank: monthRank(text), text: "" }) };
  if (order.has("R")) {
    const read = (text: string) => {
      const translated = translate(text, order);
      return { rank: randomRank(translated, salt), text: translated };
    };
    return { compare, valueOf: read };
  }
  return {
    valueOf: (text) => ({ rank: 0, text: translate(text, order) }),
    compare: order.has("V") ? (left, right) => compareVersions(left.text, right.text) : compare,
  };
}

/** A line and what its keys are worth. */
export interface SortLine {
  text: string;
  values: readonly KeyValue[];
}

/** How lines are ordered: by their keys, and what is equal by its bytes. */
export class LineOrder {
  readonly #keys: readonly { key: SortKey; order: KeyOrder; sign: number }[];
  readonly #separator: string | undefined;
  readonly #lastResort: "none" | "ascending" | "descending";

  constructor(options: {
    keys: readonly SortKey[];
    separator: string | undefined;
    isReversed: boolean;
    /** Lines whose keys are equal are left in their order, or are one and the same. */
    isStable: boolean;
    salt: number;
  }) {
    this.#keys = options.keys.map((key) => ({
      key,
      order: chooseOrder(key.order, options.salt),
      sign: key.order.has("r") ? -1 : 1,
    }));
    this.#separator = options.separator;
    const comparesLines = options.keys.length === 0 || !options.isStable;
    this.#lastResort = !comparesLines ? "none" : options.isReversed ? "descending" : "ascending";
  }

  read(text: string): SortLine {
    const values = this.#keys.map(({ key, order }) => order.valueOf(keyText(text, key, this.#separator)));
    return { text, values };
  }

  compare(left: SortLine, right: SortLine): number {
    for (let index = 0; index < this.#keys.length; index++) {
      const key = this.#keys[index];
      const a = left.values[index];
      const b = right.values[index];
      if (key === undefined || a === undefined || b === undefined) continue;
      const difference = key.order.compare(a, b);
      if (difference !== 0) return key.sign * difference;
    }
    if (this.#lastResort === "none") return 0;
    const difference = compareBytes(left.text, right.text);
    return this.#lastResort === "descending" ? -difference : difference;
  }
}
