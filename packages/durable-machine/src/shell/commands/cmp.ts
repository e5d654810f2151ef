import { type ByteSource, openOperand, PIECE_LENGTH, readFully } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import { CommandExit, type MachineCommand } from "./invocation.ts";
import { countNewlines } from "./newlines.ts";
import { UsageError } from "./options.ts";

const TROUBLE = 2;
const NEWLINE = 0x0a;

export const cmp: MachineCommand = {
  name: "cmp",
  usage: "cmp [OPTION]... FILE1 [FILE2]",
  usageHint: "cmp: Try 'cmp --help' for more information.",
  usageExitCode: TROUBLE,
  async run(invocation) {
    const options = invocation.options("s,quiet ,silent");
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
    let position = 0;
    let line = 1;
    let lastByte: number | undefined;
    for (;;) {
      const a = await readFully(leftSource, PIECE_LENGTH);
      const b = await readFully(rightSource, PIECE_LENGTH);
      const common = Math.min(a.length, b.length);
      let same = 0;
      while (same < common && a[same] === b[same]) same++;
      const compared = a.subarray(0, same);
      position += same;
      line += countNewlines(compared);
      lastByte = compared.at(-1) ?? lastByte;
      if (same === a.length && same === b.length) {
        if (same < PIECE_LENGTH) return 0;
        continue;
      }
      if (isSilent) return 1;
      if (same < common) {
        await invocation.print(`${left} ${right} differ: byte ${position + 1}, line ${line}\n`);
        return 1;
      }
      const shorter = a.length < b.length ? left : right;
      const place = lastByte === NEWLINE ? `line ${line - 1}` : `in line ${line}`;
      const end = position === 0 ? "which is empty" : `after byte ${position}, ${place}`;
      invocation.complain(`EOF on ${shorter} ${end}`);
      return 1;
    }
  },
};
