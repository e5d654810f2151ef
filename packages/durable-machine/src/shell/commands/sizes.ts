import { lookUp } from "../../look-up.ts";

const UNITS = "KMGTPE";

const FACTORS: Record<string, number> = { "": 1, B: 1, b: 512, c: 1, w: 2 };

/** Reads a size such as `10`, `4K`, `1MB` or `3b`. @returns bytes; undefined if the text is not a size. */
export function parseSize(text: string): number | undefined {
  const [, digits, suffix = ""] = /^(\d+)([a-zA-Z]*)$/.exec(text) ?? [];
  const [, letter = "", rest] = /^([kKmMgGTPE])(|B|iB)$/.exec(suffix) ?? [];
  const power = UNITS.indexOf(letter.toUpperCase()) + 1;
  const factor = letter === "" ? lookUp(FACTORS, suffix) : (rest === "B" ? 1000 : 1024) ** power;
  const size = digits === undefined || factor === undefined ? Number.NaN : Number(digits) * factor;
  return Number.isSafeInteger(size) ? size : undefined;
}

/** A size such as `1.5K` or `12M`, rounded up as the space that it takes. */
export function humanSize(
  bytes: number,
  base: 1000 | 1024 = 1024,
  round: (value: number) => number = Math.ceil,
): string {
  const units = base === 1000 ? "kMGTPE" : UNITS;
  let value = bytes;
  let unit = -1;
  while (value >= base) {
    value /= base;
    unit++;
  }
  if (unit === -1) return String(bytes);
  const tenths = round(value * 10) / 10;
  if (tenths < 10) return tenths.toFixed(1) + units.charAt(unit);
  const whole = round(value);
  return whole < base ? whole + units.charAt(unit) : `1.0${units.charAt(unit + 1)}`;
}
