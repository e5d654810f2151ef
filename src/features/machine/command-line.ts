/** A command without any of these can only be a program's name. */
const SHELL_TEXT = /[\s|&;<>()$`"'\\*?[\]{}~#!=]/;

/** The commands to try in order: the program, and a shell command line if it may be one. */
export function commandCandidates(command: string, commandArguments: string[]): [string, ...string[]][] {
  const program: [string, ...string[]] = [command, ...commandArguments];
  if (commandArguments.length > 0 || !SHELL_TEXT.test(command)) return [program];
  return [program, ["bash", "-c", command]];
}
