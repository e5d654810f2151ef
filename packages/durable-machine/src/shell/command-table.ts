import type { Command } from "just-bash/browser";
import { newBundledCommands } from "./bundled-commands.ts";
import { InputStream } from "./byte-input.ts";
import type { CommandEnvironment } from "./command-environment.ts";
import { addProgramNames } from "./command-names.ts";
import { commandNames, newCommands } from "./commands/commands.ts";
import { JOB_COMMAND_NAMES, newJobCommands } from "./job-commands.ts";
import { LAUNCHER_COMMAND_NAMES, newLauncherCommands } from "./launcher-commands.ts";
import { newPrintingCommands, PRINTING_COMMAND_NAMES } from "./printing-commands.ts";
import type { Shell } from "./shell.ts";
import { newOwnCommands, runChild } from "./shell-commands.ts";
import { OWN_COMMANDS } from "./transforms/names.ts";

/** The names are the same for all shells; the commands themselves are a shell's own. */
addProgramNames([
  ...commandNames,
  ...JOB_COMMAND_NAMES,
  ...PRINTING_COMMAND_NAMES,
  ...LAUNCHER_COMMAND_NAMES,
  ...Object.values(OWN_COMMANDS),
]);

/** All commands of a shell that are not the interpreter's own, or take the place of those. */
export function newCommandTable(shell: Shell): Command[] {
  const machineCommands = newCommands(newCommandEnvironment(shell));
  const commands = [
    ...machineCommands.map((command) => withJobNames(shell, command)),
    ...newPrintingCommands(),
    ...newLauncherCommands(shell),
    ...newJobCommands(shell),
    ...newOwnCommands(shell),
  ];
  const replaced = new Set(commands.map(({ name }) => name));
  return [...newBundledCommands(shell, replaced), ...commands].map((command) => ({
    ...command,
    execute: (args, context) =>
      shell.files.during(
        () => command.execute(args, context),
        () => shell.inputOf(context),
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
    files: context.files,
    user: context.user,
    get credentials() {
      return shell.credentials;
    },
    pid: options.pid,
    processes: context.processes,
    slice: context.slice,
    signal: shell.signal,
    limits: context.limits,
    machineName: context.machineName,
    users: context.users,
    bootedAt: context.bootedAt,
    fetch: context.fetch,
    input: (command) => shell.inputOf(command),
    output: (command) => shell.outputOf(command),
    keepEndless: (output) => shell.keepEndless(output),
    run: (argv, command, { stdout, stderr, environment, input, signal }) =>
      runChild(shell, argv, command, { write: stdout }, stderr, {
        ...(environment ? { environment } : {}),
        ...(signal ? { signal } : {}),
        ...(input === "inherited" ? {} : { input: new InputStream(input ?? new Uint8Array(0)) }),
      }),
  };
}
