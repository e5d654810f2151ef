import type { MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName } from "./quoting.ts";
import { runProgram } from "./run-program.ts";

/** Nothing hangs up here: processes end with the machine, or by themselves. */
export const nohup: MachineCommand = {
  name: "nohup",
  usage: "nohup COMMAND [ARG]...",
  usageExitCode: 125,
  async run(invocation) {
    const [program, ...args] = invocation.options([], { operandsEndOptions: true }).operands;
    if (program === undefined) throw new UsageError("missing operand");
    const refusal = `failed to run command ${quoteName(program)}`;
    return await runProgram(invocation, [program, ...args], { inheritsInput: true, refusal });
  },
};
