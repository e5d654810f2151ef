import type { Command, CommandContext } from "just-bash/browser";
import { StartError } from "../processes/process.ts";
import { newBundledCommands } from "./bundled-commands.ts";
import { runChild, startExitCode } from "./child-processes.ts";
import type { CommandEnvironment } from "./command-environment.ts";
import { commandNames, newCommands } from "./commands/commands.ts";
import { UsageError } from "./commands/options.ts";
import { GREP_COMMANDS } from "./grep.ts";
import { JOB_COMMANDS, LAUNCH_FAILED } from "./job-commands.ts";
import { LAUNCHER_COMMANDS } from "./launcher-commands.ts";
import type { Shell } from "./shell.ts";
import { result, SHELL_COMMANDS, type ShellCommand } from "./shell-commands.ts";
import { addProgramNames } from "./transforms/command-kinds.ts";

const REPLACEMENTS: Readonly<Record<string, ShellCommand>> = {
  ...LAUNCHER_COMMANDS,
  ...JOB_COMMANDS,
  ...GREP_COMMANDS,
  ...SHELL_COMMANDS,
};

addProgramNames([...commandNames, ...Object.keys(REPLACEMENTS)]);

export function newCommandTable(shell: Shell): Command[] {
  const commands: Command[] = [
    ...newCommands(newCommandEnvironment(shell)).map((command) => withJobNames(shell, command)),
    ...Object.entries(REPLACEMENTS).map(([name, command]) => ({
      name,
      trusted: true,
      execute: async (args: string[], context: CommandContext) => {
        try {
          return await command(shell, args, context);
        } catch (error) {
          if (error instanceof StartError)
            return result(startExitCode(error), "", `bash: ${error.message}\n`);
          if (!(error instanceof UsageError)) throw error;
          return result(error.exitCode ?? LAUNCH_FAILED, "", `${name}: ${error.message}\n`);
        }
      },
    })),
  ];
  const replaced = new Set(commands.map(({ name }) => name));
  return [...newBundledCommands(shell, replaced), ...commands].map((command) => ({
    ...command,
    execute: (args, context) =>
      shell.files.during({ input: () => shell.inputOf(context), readBytes: 0 }, () =>
        command.execute(args, context),
      ),
  }));
}

/** Only the shell knows which process `%1` is. */
function withJobNames(shell: Shell, command: Command): Command {
  if (command.name !== "kill") return command;
  const toPid = (arg: string) => (arg.startsWith("%") ? String(shell.jobs.find(arg)?.pid ?? arg) : arg);
  return { ...command, execute: (args, context) => command.execute(args.map(toPid), context) };
}

function newCommandEnvironment(shell: Shell): CommandEnvironment {
  const { context, options } = shell;
  return {
    ...context,
    get credentials() {
      return shell.credentials;
    },
    pid: options.pid,
    signal: shell.signal,
    input: (command) => shell.inputOf(command),
    output: (command) => shell.outputOf(command),
    keepEndless: (output) => shell.keepEndless(output),
    run: (argv, command, options) => runChild(shell, argv, command, options),
  };
}
