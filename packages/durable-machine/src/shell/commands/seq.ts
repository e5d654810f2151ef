import type { MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { parseSeqFormat } from "./seq-format.ts";
import { equalWidth, formatFixed, padZeros, parseSeqNumber, type SeqNumber, scaled } from "./seq-numbers.ts";

/** Numbers that are written as one step. */
const GROUP_LENGTH = 256;

const ONE: SeqNumber = { digits: 1n, isNegative: false, precision: 0, width: 1 };

/** Negative numbers are operands, not options: marks where the operands begin. */
function markOperands(args: readonly string[]): string[] {
  const first = args.findIndex((word, index) => {
    const isValue = /^(-[fs]|-w+[fs]|--(format|separator))$/.test(args[index - 1] ?? "");
    return !isValue && (word === "--" || /^(?:[^-]|-[\d.]|-?$)/.test(word));
  });
  return first === -1 || args[first] === "--"
    ? [...args]
    : [...args.slice(0, first), "--", ...args.slice(first)];
}

interface Sequence {
  first: SeqNumber;
  step: SeqNumber;
  last: SeqNumber;
}

function readSequence(operands: readonly string[]): Sequence {
  const [first, second, third, extra] = operands;
  if (first === undefined) throw new UsageError("missing operand");
  if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
  const numbers = operands.map(parseSeqNumber);
  const [one = ONE, two = ONE, three = ONE] = numbers;
  if (second === undefined) return { first: ONE, step: ONE, last: one };
  if (third === undefined) return { first: one, step: ONE, last: two };
  if (two.digits === 0n) throw new UsageError(`invalid Zero increment value: ${quoteWord(second)}`);
  return { first: one, step: two, last: three };
}

/** How a number is written, given as its digits without the point. */
function chooseFormat(
  options: ParsedOptions,
  sequence: Sequence,
  precision: { counted: number; shown: number },
): (digits: bigint) => string {
  const format = options.value("f");
  if (format !== undefined) {
    if (options.has("w")) {
      throw new UsageError("format string may not be specified when printing equal width strings");
    }
    const write = parseSeqFormat(format);
    return (digits) => write(Number(formatFixed(digits, precision.counted)));
  }
  const divisor = 10n ** BigInt(precision.counted - precision.shown);
  // Only a first number that is written as minus nought is shown as such.
  const firstIsNegativeZero = sequence.first.isNegative && sequence.first.digits === 0n;
  const firstDigits = scaled(sequence.first, precision.counted);
  const width = options.has("w") ? equalWidth(sequence.first, sequence.last, precision.shown) : 0;
  return (digits) => {
    const isNegative = digits < 0n || (firstIsNegativeZero && digits === firstDigits);
    return padZeros(formatFixed(digits / divisor, precision.shown, isNegative), width);
  };
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
    const sequence = readSequence(options.operands);
    const { first, step, last } = sequence;
    const shown = Math.max(first.precision, step.precision);
    const counted = Math.max(shown, last.precision);
    const format = chooseFormat(options, sequence, { counted, shown });
    const separator = options.value("s") ?? "\n";
    const start = scaled(first, counted);
    const increment = scaled(step, counted);
    const end = scaled(last, counted);
    if (start === undefined || increment === undefined) {
      throw new UsageError("sequence begins or goes on at infinity", { hint: false });
    }
    const rises = increment > 0n;
    const isOver = (digits: bigint) =>
      end === undefined ? last.isNegative === rises : rises ? digits > end : digits < end;
    if (isOver(start)) return;
    await invocation.print(format(start));
    let count = 0;
    for (let digits = start + increment; !isOver(digits); digits += increment) {
      await invocation.print(separator + format(digits));
      if (++count % GROUP_LENGTH === 0) await invocation.step(GROUP_LENGTH / 16);
    }
    await invocation.print("\n");
  },
};
