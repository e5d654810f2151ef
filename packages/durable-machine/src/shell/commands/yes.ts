import type { MachineCommand } from "./invocation.ts";

/** How much a pipe gets initially. A reader that wants more gets the same bytes again. */
const PIPED_BYTES = 4 * 1024 * 1024;

const BLOCK_LENGTH = 16 * 1024;

export const yes: MachineCommand = {
  name: "yes",
  usage: "yes [STRING]...",
  async run(invocation) {
    const { operands } = invocation.options([]);
    const line = `${operands.length === 0 ? "y" : operands.join(" ")}\n`;
    const block = new TextEncoder().encode(line.repeat(Math.ceil(BLOCK_LENGTH / line.length)));
    invocation.neverEnds({ keptBytes: PIPED_BYTES, repeats: true });
    for (;;) {
      await invocation.write(block);
      await invocation.stepBytes(block.length);
    }
  },
};
