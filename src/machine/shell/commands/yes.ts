import type { MachineCommand } from "./invocation.ts";

/** Written at once: the fewer calls, the sooner a limit ends it. */
const BLOCK_LENGTH = 16 * 1024;

/**
 * How much a reader gets that takes all at once. In a pipeline one command runs after the other, so that nobody can
 * say when it is enough.
 */
const MOST_KEPT_BYTES = 4 * 1024 * 1024;

export const yes: MachineCommand = {
  name: "yes",
  usage: "yes [STRING]...",
  async run(invocation) {
    const { operands } = invocation.options([]);
    const line = `${operands.length === 0 ? "y" : operands.join(" ")}\n`;
    const block = new TextEncoder().encode(line.repeat(Math.ceil(BLOCK_LENGTH / line.length)));
    const most = invocation.keepsOutput
      ? Math.min(MOST_KEPT_BYTES, invocation.environment.limits.pipeBytes)
      : Number.POSITIVE_INFINITY;
    for (let written = block.length; written <= most; written += block.length) {
      await invocation.write(block);
      await invocation.stepBytes(block.length);
    }
  },
};
