import type { MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

const GROUP_LENGTH = 1024;
const MAX_PRECISION = 100;

const NUMBER = /^[ \t]*([-+]?\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i;
const FORMAT = /^((?:[^%]|%%)*)%(0?)(\d*)(?:\.(\d+))?([fg])((?:[^%]|%%)*)$/;

function readNumber(text: string) {
  const [, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(text) ?? [];
  const value = whole + fraction === "" ? Number.NaN : Number(text);
  const precision = Math.max(0, fraction.length - Number(exponent));
  if (Number.isNaN(value) || precision > MAX_PRECISION) {
    throw new UsageError(`invalid floating point argument: ${quoteWord(text)}`);
  }
  return { value, precision, width: Math.max(whole.length, String(Math.trunc(value)).length) };
}

function padZeros(text: string, width: number): string {
  const sign = /^[-+]?/.exec(text)?.[0] ?? "";
  return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}

function readFormat(format: string): (value: number) => string {
  const match = FORMAT.exec(format);
  if (match === null) {
    throw new UsageError(`format ${quoteWord(format)} has no single %f or %g directive`, { hint: false });
  }
  const [, before, zero, widthText, precision, conversion, after] = match;
  const width = Math.min(Number(widthText), MAX_PRECISION);
  const digits = Math.min(Number(precision ?? "6"), MAX_PRECISION);
  return (value) => {
    const plain = precision === undefined ? value : Number(value.toPrecision(digits || 1));
    const text = conversion === "f" ? value.toFixed(digits) : String(plain);
    const padded = zero ? padZeros(text, width) : text.padStart(width);
    return (before + padded + after).replaceAll("%%", "%");
  };
}

/** A negative number looks like an option, so the numbers follow a `--`. */
function markOperands(args: readonly string[]): string[] {
  const first = args.findIndex(
    (word, index) => /^-?[\d.]/.test(word) && !/^-w*[fs]$/.test(args[index - 1] ?? ""),
  );
  return first === -1 || args.includes("--") ? [...args] : args.toSpliced(first, 0, "--");
}

export const seq: MachineCommand = {
  name: "seq",
  usage: "seq [OPTION]... [FIRST [INCREMENT]] LAST",
  async run(invocation) {
    const options = invocation.options("f,format= s,separator= w,equal-width", {
      operandsEndOptions: true,
      args: markOperands(invocation.args),
    });
    const { operands } = options;
    const lastText = operands.at(-1);
    if (lastText === undefined) throw new UsageError("missing operand");
    if (operands[3] !== undefined) throw new UsageError(`extra operand ${quoteWord(operands[3])}`);
    const [firstText = "1", incrementText = "1"] = operands.slice(0, -1);
    const [first, increment, last] = [readNumber(firstText), readNumber(incrementText), readNumber(lastText)];
    if (increment.value === 0) {
      throw new UsageError(`invalid Zero increment value: ${quoteWord(incrementText)}`);
    }
    // Integers are counted, so that rounding errors do not add up.
    const precision = Math.max(first.precision, increment.precision);
    const scale = 10 ** Math.max(precision, last.precision);
    const start = Math.round(first.value * scale);
    const step = Math.round(increment.value * scale);
    const count = Math.floor((Math.round(last.value * scale) - start) / step) + 1;
    const width = Math.max(first.width, last.width) + (precision > 0 ? precision + 1 : 0);
    const pad = (value: number) => padZeros(value.toFixed(precision), options.has("w") ? width : 0);
    const formatText = options.value("f");
    const format = formatText === undefined ? pad : readFormat(formatText);
    const separator = options.value("s") ?? "\n";
    for (let index = 0; index < count; ) {
      let group = "";
      for (const end = Math.min(count, index + GROUP_LENGTH); index < end; index++) {
        group += (index === 0 ? "" : separator) + format((start + index * step) / scale);
      }
      await invocation.print(group);
      await invocation.step(GROUP_LENGTH / 16);
    }
    if (count > 0) await invocation.print("\n");
  },
};
