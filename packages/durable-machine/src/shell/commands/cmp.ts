import { type ByteSource, openOperand, PIECE_LENGTH, readFully } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import { CommandExit, type MachineCommand } from "./invocation.ts";
import { countNewlines } from "./newlines.ts";
import { UsageError } from "./options.ts";

const TROUBLE = 2;
const NEWLINE = 0x0a;

/** The index of the next difference, or the length of the shorter one. */
function findDifference(a: Uint8Array, b: Uint8Array, start: number): number {
  let index = start;
  while (index < a.length && index < b.length && a[index] === b[index]) index++;
  return index;
}

export const cmp: MachineCommand = {
  name: "cmp",
  usage: "cmp [OPTION]... FILE1 [FILE2]",
  usageHint: "cmp: Try 'cmp --help' for more information.",
  usageExitCode: TROUBLE,
  async run(invocation) {
    const options = invocation.options("l,verbose s,quiet ,silent");
    const [left, right = "-", extra] = options.operands;
    if (left === undefined) throw new UsageError("missing operand after 'cmp'");
    if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
    const isSilent = options.has("s", "silent");
    const open = async (operand: string): Promise<ByteSource> => {
      try {
        return await openOperand(invocation, operand);
      } catch (error) {
        const message = `${operand}: ${errorText(error)}`;
        if (isSilent) throw new CommandExit(TROUBLE);
        return invocation.fail(message, TROUBLE);
      }
    };
    const leftSource = await open(left);
    const rightSource = await open(right);
    const sizes = [leftSource, rightSource].flatMap(({ size }) => size ?? []);
    const width = String(Math.min(...sizes)).length;
    let position = 0;
    let line = 1;
    let lastByte: number | undefined;
    let exitCode = 0;
    for (;;) {
      const a = await readFully(leftSource, PIECE_LENGTH);
      const b = await readFully(rightSource, PIECE_LENGTH);
      const common = Math.min(a.length, b.length);
      for (let index = findDifference(a, b, 0); index < common; index = findDifference(a, b, index + 1)) {
        exitCode = 1;
        if (isSilent) return exitCode;
        const place = position + index + 1;
        if (!options.has("l")) {
          const differingLine = line + countNewlines(a.subarray(0, index));
          await invocation.print(`${left} ${right} differ: byte ${place}, line ${differingLine}\n`);
          return exitCode;
        }
        const [leftByte, rightByte] = [a, b].map((bytes) => bytes[index]?.toString(8).padStart(3));
        await invocation.print(`${String(place).padStart(width)} ${leftByte} ${rightByte}\n`);
      }
      const compared = a.subarray(0, common);
      position += common;
      line += countNewlines(compared);
      lastByte = compared.at(-1) ?? lastByte;
      if (a.length === b.length && common === PIECE_LENGTH) continue;
      if (a.length === b.length) return exitCode;
      if (isSilent) return 1;
      const shorter = a.length < b.length ? left : right;
      const place = lastByte === NEWLINE ? `line ${line - 1}` : `in line ${line}`;
      const after = options.has("l") ? `after byte ${position}` : `after byte ${position}, ${place}`;
      invocation.complain(`EOF on ${shorter} ${position === 0 ? "which is empty" : after}`);
      return 1;
    }
  },
};
