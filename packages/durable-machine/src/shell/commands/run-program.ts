import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName } from "./quoting.ts";

/** What the shell reports of a program that it cannot run. */
const SHELL_MESSAGE = /^bash: .*: (?:command not found|no such file or directory|permission denied)\n/i;

/**
 * Runs a program as a process of its own, and hands on what it writes.
 *
 * @param options.inheritsInput whether it reads the command's input. Default: it reads nothing.
 * @param options.failure the message if it cannot be run, before the reason.
 * @returns its exit code.
 */
export async function runProgram(
  invocation: Invocation,
  argv: readonly [string, ...string[]],
  options: { inheritsInput?: boolean; failure: string },
): Promise<number> {
  const decoder = new TextDecoder();
  let stderr = "";
  await invocation.flush();
  const exitCode = await invocation.environment.run(argv, invocation.context, {
    stdout: (bytes) => invocation.write(bytes),
    stderr: async (bytes) => {
      stderr += decoder.decode(bytes, { stream: true });
    },
    ...(options.inheritsInput ? { input: "inherited" } : {}),
  });
  if ((exitCode === 126 || exitCode === 127) && SHELL_MESSAGE.test(stderr)) {
    const reason = exitCode === 126 ? "Permission denied" : "No such file or directory";
    invocation.complain(`${options.failure}: ${reason}`);
    stderr = stderr.replace(SHELL_MESSAGE, "");
  }
  invocation.say(stderr);
  return exitCode;
}

/** Runs a program; there is no terminal whose end it would notice. */
export const nohup: MachineCommand = {
  name: "nohup",
  usage: "nohup COMMAND [ARG]...",
  usageExitCode: 125,
  async run(invocation) {
    const [program, ...args] = invocation.options([], { operandsEndOptions: true }).operands;
    if (program === undefined) throw new UsageError("missing operand");
    const failure = `failed to run command ${quoteName(program)}`;
    return await runProgram(invocation, [program, ...args], { inheritsInput: true, failure });
  },
};
