import type { MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

/** Numbers that are written at once. */
const GROUP_LENGTH = 1024;

/** The most digits that numbers are shown with. */
const MAX_PRECISION = 100;

const NUMBER = /^[ \t]*[-+]?(?:\d+(?:\.(\d*))?|\.(\d+))(?:e([-+]?\d+))?$/i;

const FORMAT = /^((?:[^%]|%%)*)%([-+0]*)(\d*)(?:\.(\d*))?([fg])((?:[^%]|%%)*)$/;

interface SeqNumber {
  value: number;
  /** Digits behind the point. */
  precision: number;
  /** Characters in front of the point. */
  width: number;
}

function readNumber(text: string): SeqNumber {
  const [match, behind = "", bareBehind = "", exponent = "0"] = NUMBER.exec(text) ?? [];
  const precision = Math.max(0, behind.length + bareBehind.length - Number(exponent));
  if (match === undefined || precision > MAX_PRECISION) {
    throw new UsageError(`invalid floating point argument: ${quoteWord(text)}`);
  }
  const value = Number(text);
  const [written = ""] = /^-?\d*/.exec(text) ?? [];
  return { value, precision, width: Math.max(written.length, String(Math.trunc(value)).length) };
}

/** Fills a number up with zeros behind its sign. */
function padZeros(text: string, width: number): string {
  const [sign = ""] = /^[-+]?/.exec(text) ?? [];
  return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}

/** Reads the value of `-f`. @throws UsageError */
function readFormat(format: string): (value: number) => string {
  const match = FORMAT.exec(format);
  if (match === null) {
    throw new UsageError(`format ${quoteWord(format)} is not made of one %f or %g directive`, {
      hint: false,
    });
  }
  const [, before = "", flags = "", widthText = "", precisionText, conversion = "", after = ""] = match;
  const width = Math.min(Number(widthText), MAX_PRECISION);
  const precision = Math.min(Number(precisionText ?? "6"), MAX_PRECISION);
  const convert = (value: number): string => {
    if (conversion === "f") return value.toFixed(precision);
    return String(precisionText === undefined ? value : Number(value.toPrecision(precision || 1)));
  };
  return (value) => {
    const text = value >= 0 && flags.includes("+") ? `+${convert(value)}` : convert(value);
    const padded = flags.includes("0") ? padZeros(text, width) : text.padStart(width);
    return (before + (flags.includes("-") ? text.padEnd(width) : padded) + after).replaceAll("%%", "%");
  };
}

/** Negative numbers are operands, not options: marks where the operands begin. */
function markOperands(args: readonly string[]): string[] {
  const first = args.findIndex(
    (word, index) => /^-?[\d.]/.test(word) && !/^(-w*[fs]|--format|--separator)$/.test(args[index - 1] ?? ""),
  );
  return first === -1 || args.includes("--") ? [...args] : args.toSpliced(first, 0, "--");
}

export const seq: MachineCommand = {
  name: "seq",
  usage:
    "seq [OPTION]... LAST\n  or:  seq [OPTION]... FIRST LAST\n  or:  seq [OPTION]... FIRST INCREMENT LAST",
  async run(invocation) {
    const options = invocation.options(["f,format=", "s,separator=", "w,equal-width"], {
      operandsEndOptions: true,
      args: markOperands(invocation.args),
    });
    const { operands } = options;
    if (operands.length === 0) throw new UsageError("missing operand");
    if (operands[3] !== undefined) throw new UsageError(`extra operand ${quoteWord(operands[3])}`);
    const numbers = operands.map(readNumber);
    const one: SeqNumber = { value: 1, precision: 0, width: 1 };
    const last = numbers.at(-1) ?? one;
    const first = numbers.length > 1 ? (numbers[0] ?? one) : one;
    const increment = numbers.length > 2 ? (numbers[1] ?? one) : one;
    if (increment.value === 0) {
      throw new UsageError(`invalid Zero increment value: ${quoteWord(operands[1] ?? "")}`);
    }
    // Whole numbers are counted, so that no rounding adds up.
    const precision = Math.max(first.precision, increment.precision);
    const scale = 10 ** Math.max(precision, last.precision);
    const [start, step, end] = [first, increment, last].map(({ value }) => Math.round(value * scale));
    if (start === undefined || step === undefined || end === undefined) return;
    const width = Math.max(first.width, last.width) + (precision > 0 ? precision + 1 : 0);
    const format = options.value("f");
    const write =
      format === undefined
        ? (value: number) => padZeros(value.toFixed(precision), options.has("w") ? width : 0)
        : readFormat(format);
    const separator = options.value("s") ?? "\n";
    const count = Math.floor((end - start) / step) + 1;
    for (let index = 0; index < count; ) {
      let group = "";
      for (const groupEnd = Math.min(count, index + GROUP_LENGTH); index < groupEnd; index++) {
        group += (index === 0 ? "" : separator) + write((start + index * step) / scale);
      }
      await invocation.print(group);
      await invocation.step(GROUP_LENGTH / 16);
    }
    if (count > 0) await invocation.print("\n");
  },
};
