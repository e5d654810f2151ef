import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

/** What a number method takes as its precision at most. */
const MOST_PRECISION = 100;

const STANDARD_PRECISION = 6;

interface Directive {
  flags: string;
  width: number;
  precision: number;
  conversion: string;
}

/** An exponent has two digits at least. */
function exponential(size: number, precision: number): string {
  return size.toExponential(precision).replace(/e([-+])(\d)$/, "e$10$2");
}

function general(size: number, wanted: number, keepsZeros: boolean): string {
  const precision = wanted === 0 ? 1 : wanted;
  const exponent = size === 0 ? 0 : Number(/e(.*)$/.exec(size.toExponential(precision - 1))?.[1] ?? 0);
  const isExponential = exponent < -4 || exponent >= precision;
  const text = isExponential
    ? exponential(size, precision - 1)
    : size.toFixed(Math.min(MOST_PRECISION, precision - 1 - exponent));
  return keepsZeros ? text : text.replace(/(\.\d*?)0+(?=e|$)/, "$1").replace(/\.(?=e|$)/, "");
}

/** A size as one of `e`, `f` and `g`. */
function convert(size: number, { conversion, precision, flags }: Directive): string {
  if (!Number.isFinite(size)) return "inf";
  switch (conversion.toLowerCase()) {
    case "e":
      return exponential(size, precision);
    case "f":
      return size.toFixed(precision);
    default:
      return general(size, precision, flags.includes("#"));
  }
}

function formatDirective(value: number, directive: Directive): string {
  const { flags, width, conversion } = directive;
  const isNegative = value < 0 || Object.is(value, -0);
  const sign = isNegative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  const converted = convert(Math.abs(value), directive);
  const digits = conversion === conversion.toUpperCase() ? converted.toUpperCase() : converted;
  if (flags.includes("-")) return (sign + digits).padEnd(width);
  if (flags.includes("0")) return sign + digits.padStart(width - sign.length, "0");
  return (sign + digits).padStart(width);
}

function readDirective(format: string, text: string): { directive: Directive; length: number } {
  const quoted = quoteWord(format);
  const [whole, flags = "", width = "", precision] = /^%([-+#0 ']*)(\d*)(?:\.(\d*))?L?/.exec(text) ?? [];
  const length = whole?.length ?? 1;
  const conversion = text.charAt(length);
  if (conversion === "") throw new UsageError(`format ${quoted} ends in %`, { hint: false });
  if (!/[efgEFG]/.test(conversion)) {
    throw new UsageError(`format ${quoted} has unknown %${conversion} directive`, { hint: false });
  }
  const directive = {
    flags,
    width: Math.min(Number(width), MOST_PRECISION),
    precision: Math.min(precision === undefined ? STANDARD_PRECISION : Number(precision), MOST_PRECISION),
    conversion,
  };
  return { directive, length: length + 1 };
}

/**
 * Reads a format of `seq -f`, which has one directive for a number.
 *
 * @throws UsageError
 */
export function parseSeqFormat(format: string): (value: number) => string {
  const texts = [""];
  let found: Directive | undefined;
  for (let index = 0; index < format.length; ) {
    if (format.charAt(index) !== "%" || format.startsWith("%%", index)) {
      texts.push((texts.pop() ?? "") + format.charAt(index));
      index += format.startsWith("%%", index) ? 2 : 1;
      continue;
    }
    if (found !== undefined) {
      throw new UsageError(`format ${quoteWord(format)} has too many % directives`, { hint: false });
    }
    const { directive, length } = readDirective(format, format.slice(index));
    found = directive;
    texts.push("");
    index += length;
  }
  if (found === undefined) {
    throw new UsageError(`format ${quoteWord(format)} has no % directive`, { hint: false });
  }
  const directive = found;
  return (value) => texts.join(formatDirective(value, directive));
}
