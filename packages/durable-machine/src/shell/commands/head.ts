import { PIECE_LENGTH } from "./byte-source.ts";
import { HeadedFiles, PART_OPTIONS, parseAmount, splitBeforeLast, withoutOldForm } from "./file-parts.ts";
import { countNewlines, endOfLines } from "./held-bytes.ts";
import type { MachineCommand } from "./invocation.ts";

export const head: MachineCommand = {
  name: "head",
  usage: "head [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options(PART_OPTIONS, { args: withoutOldForm(invocation.args) });
    const amount = parseAmount(invocation, options);
    const ofLines = amount.unit === "lines";
    const headed = new HeadedFiles(invocation, options);
    for (const operand of options.operands.length === 0 ? ["-"] : options.operands) {
      const source = await headed.open(operand);
      if (source === undefined) continue;
      let { count } = amount;
      if (amount.sign === "-" && !ofLines && source.size !== undefined)
        count = Math.max(0, source.size - count);
      else if (amount.sign === "-") {
        await splitBeforeLast(invocation, { ...amount, source }, (bytes) => invocation.write(bytes));
        continue;
      }
      // Line by line from standard input, so that the rest is there for the next command.
      const byLine = ofLines && operand === "-";
      for (let left = count; left > 0; ) {
        const piece = byLine
          ? await invocation.input.readLine()
          : await source.read(ofLines ? PIECE_LENGTH : left);
        if (piece === undefined || piece.length === 0) break;
        const shown = ofLines ? piece.subarray(0, endOfLines(piece, left)) : piece;
        await invocation.write(shown);
        left -= ofLines ? countNewlines(shown) : shown.length;
        if (byLine) await invocation.step();
      }
    }
  },
};
