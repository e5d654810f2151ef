import type { Invocation } from "./invocation.ts";

/** Why a program was not run, by the shell's exit code for it. */
const REASONS: Record<number, string> = { 126: "Permission denied", 127: "No such file or directory" };

/** The shell's own words for a program that it cannot run. */
const SHELLS_WORDS = /^bash: .*: (?:command not found|no such file or directory|permission denied)\n/i;

/**
 * Runs a program as a process of its own, in the command's directory, and hands on what it writes.
 *
 * @param options.inheritsInput it reads what the command would read; without, it reads nothing.
 * @param options.refusal what is complained of a program that cannot be run, before the reason.
 * @returns its exit code.
 */
export async function runProgram(
  invocation: Invocation,
  argv: readonly [string, ...string[]],
  options: { inheritsInput?: boolean; refusal: string },
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
  const reason = REASONS[exitCode];
  if (reason !== undefined && SHELLS_WORDS.test(stderr)) {
    invocation.complain(`${options.refusal}: ${reason}`);
    stderr = stderr.replace(SHELLS_WORDS, "");
  }
  invocation.say(stderr);
  return exitCode;
}
