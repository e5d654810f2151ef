const UNITS = "KMGTPE";

const FACTORS: Record<string, number> = { b: 512, c: 1, w: 2 };

/** What a suffix multiplies by: `K` and `KiB` by 1024, `kB` by 1000, `b` by 512; undefined: there is no such suffix. */
function factorOf(suffix: string): number | undefined {
  if (suffix === "" || suffix === "B") return 1;
  const fixed = FACTORS[suffix];
  if (fixed !== undefined) return fixed;
  const [, letter = "", rest = ""] = /^([kKmMgGTPE])(|B|iB)$/.exec(suffix) ?? [];
  if (letter === "") return undefined;
  return (rest === "B" ? 1000 : 1024) ** (UNITS.indexOf(letter.toUpperCase()) + 1);
}

/** A size as it is written on a command line: `10`, `4K`, `1MB`, `2x512`. In bytes; undefined: it is none. */
export function parseSize(text: string): number | undefined {
  let product = 1;
  for (const part of text.split("x")) {
    const [, digits, suffix = ""] = /^(\d+)([a-zA-Z]*)$/.exec(part) ?? [];
    const factor = factorOf(suffix);
    if (digits === undefined || factor === undefined) return undefined;
    product *= Number(digits) * factor;
  }
  return Number.isSafeInteger(product) ? product : undefined;
}

/** A size for people: `1.5K`, `12M`. Rounded up, as the space that it takes. */
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
