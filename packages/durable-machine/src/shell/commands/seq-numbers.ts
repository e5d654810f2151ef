import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

/** More digits behind the point, or before it, than anybody counts with. */
const MOST_DIGITS = 1000;

const DECIMAL = /^[ \t]*([-+]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:e([-+]?\d+))?$/i;

const INFINITE = /^[ \t]*([-+]?)inf(?:inity)?$/i;

/** A number of the command line of `seq`, exact. */
export interface SeqNumber {
  /** The number without its point; undefined: it is infinite. */
  digits: bigint | undefined;
  isNegative: boolean;
  /** Digits behind the point. */
  precision: number;
  /** Characters that it takes as it is written. */
  width: number;
}

/** @throws UsageError */
export function parseSeqNumber(text: string): SeqNumber {
  const [infinite, infiniteSign] = INFINITE.exec(text) ?? [];
  if (infinite !== undefined) {
    return { digits: undefined, isNegative: infiniteSign === "-", precision: 0, width: 0 };
  }
  const match = DECIMAL.exec(text);
  const refusal = new UsageError(`invalid floating point argument: ${quoteWord(text)}`);
  if (match === null) throw refusal;
  const [, sign, whole = "", behind = "", bareBehind = "", exponentText = "0"] = match;
  const fraction = behind + bareBehind;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > MOST_DIGITS || fraction.length + whole.length > MOST_DIGITS) throw refusal;
  const precision = Math.max(0, fraction.length - exponent);
  const size = BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, exponent - fraction.length));
  const isNegative = sign === "-";
  const written = text.trimStart().replace(/^\+/, "").replace(/\.$/, "").replace(/e.*/i, "");
  const shift = Math.abs(exponent) + (bareBehind === "" ? 0 : 1);
  return { digits: isNegative ? -size : size, isNegative, precision, width: written.length + shift };
}

/** The digits of a number with so many of them behind the point. */
export function scaled({ digits, precision }: SeqNumber, wanted: number): bigint | undefined {
  return digits === undefined ? undefined : digits * 10n ** BigInt(wanted - precision);
}

/** Writes digits with their point. */
export function formatFixed(digits: bigint, precision: number, isNegative = digits < 0n): string {
  const text = String(digits < 0n ? -digits : digits).padStart(precision + 1, "0");
  const sign = isNegative ? "-" : "";
  if (precision === 0) return sign + text;
  return `${sign}${text.slice(0, -precision)}.${text.slice(-precision)}`;
}

/** The width that makes all numbers equally wide. */
export function equalWidth(first: SeqNumber, last: SeqNumber, precision: number): number {
  const width = (number: SeqNumber) => {
    const added = precision - number.precision;
    const point = (precision > 0 ? 1 : 0) - (number.precision > 0 ? 1 : 0);
    return number.width + added + point;
  };
  return Math.max(width(first), width(last));
}

/** Fills a number up with zeros behind its sign. */
export function padZeros(text: string, width: number): string {
  return text.startsWith("-") ? `-${text.slice(1).padStart(width - 1, "0")}` : text.padStart(width, "0");
}
