/** White space and what a shell understands: a command that holds none of it can only be a program's name. */
const SHELL_TEXT = /[\s|&;<>()$`"'\\*?[\]{}~#!=]/;

/**
 * The ways to understand a command, the first that can be started being meant: as a program, and, where it comes
 * without arguments and reads like one, as a line of shell.
 */
export function readCommand(command: string, commandArguments: string[]): [string, ...string[]][] {
  const program: [string, ...string[]] = [command, ...commandArguments];
  if (commandArguments.length > 0 || !SHELL_TEXT.test(command)) return [program];
  return [program, ["bash", "-c", command]];
}
