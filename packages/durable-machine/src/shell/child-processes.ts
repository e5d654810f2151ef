import type { CommandContext } from "just-bash/browser";
import { type Signal, StartError } from "../processes/process.ts";
import { TooManyProcessesError } from "../processes/process-table.ts";
import type { InputStream } from "./byte-input.ts";
import type { Write } from "./byte-output.ts";
import { isProgramFile } from "./command-names.ts";
import { DeadProcessError } from "./process-context.ts";
import {
  DEFAULT_PATH,
  interpreterOptions,
  isShell,
  type Program,
  readScript,
  resolveProgram,
} from "./program.ts";
import { Shell } from "./shell.ts";
import { parseShellArguments, ShellUsageError } from "./shell-arguments.ts";
import type { ShellProgram } from "./shell-program.ts";
import { isOwnVariable } from "./transforms/names.ts";
import { exitCodeOf } from "./traps.ts";

export interface ChildOptions {
  directory: string;
  environment: Record<string, string>;
  stdout: Write;
  stderr: Write;
  input: InputStream;
}

export interface ChildProcess {
  pid: number;
  /** Its exit code: 128 and the signal's number where it died of one. Never rejects. */
  ended: Promise<number>;
  kill: (signal: Signal) => void;
}

/** The variables that a command's context exports, without the shell's own. */
export function exportedVariables(context: CommandContext): Record<string, string> {
  const exported = Object.entries(context.exportedEnv ?? {});
  return Object.fromEntries(exported.filter(([name]) => !isOwnVariable(name)));
}

/** @throws TooManyProcessesError */
export function startChild(parent: Shell, program: ShellProgram, options: ChildOptions): ChildProcess {
  const { context } = parent;
  const parentPid = parent.options.pid;
  let died: Signal = "KILL";
  const kill = (signal: Signal) => {
    died = signal;
    child.receive(signal);
  };
  const pid = context.processes.add(
    { parentPid, user: context.user, command: commandOf(program), startedAt: Date.now() },
    kill,
  );
  const child = new Shell(context, {
    ...options,
    pid,
    parentPid,
    umask: parent.umask,
    signal: parent.signal,
  });
  const ended = run(child, program, options).catch(() => exitCodeOf(died));
  // What has ended is dead: it hears of its parent's death no more, and what is left of it does nothing.
  void ended.then(() => child.die());
  child.signal.addEventListener("abort", () => context.processes.remove(pid), { once: true });
  return { pid, ended, kill };
}

/** Also where what it computes is not done yet: a dead process has ended. */
async function run(shell: Shell, program: ShellProgram, { stderr }: ChildOptions): Promise<number> {
  const death = new Promise<never>((_, reject) => {
    shell.signal.addEventListener("abort", () => reject(new DeadProcessError()), { once: true });
    if (shell.signal.aborted) reject(new DeadProcessError());
  });
  try {
    return await Promise.race([shell.run(program), death]);
  } catch (error) {
    if (!shell.signal.aborted) await stderr(new TextEncoder().encode(`bash: ${String(error)}\n`));
    throw error;
  }
}

function commandOf(program: ShellProgram): string {
  const name = program.kind === "command" ? program.program : program.name;
  return [...(program.kind === "script" ? ["bash"] : []), name, ...program.args].join(" ");
}

/** What a command line is for the shell. @throws StartError, ShellUsageError */
export function toShellProgram(
  shell: Pick<Shell, "context" | "credentials">,
  [name, ...args]: readonly [string, ...string[]],
  directory: string,
  path: string | undefined,
): ShellProgram {
  const { files } = shell.context;
  const search = {
    directory,
    path: path ?? DEFAULT_PATH,
    files,
    credentials: shell.credentials,
    isProgram: isProgramFile,
  };
  return fromProgram(resolveProgram(name, search), name, args, (script) => readScript(script, search));
}

function fromProgram(
  program: Program,
  name: string,
  args: readonly string[],
  read: ReadScript,
): ShellProgram {
  if (program.kind === "script") {
    const { path, text } = program;
    const file = name.includes("/") ? name : path;
    return { kind: "script", name: file, args, flags: interpreterOptions(text), text, file };
  }
  if (!isShell(program.name)) return { kind: "command", name: "bash", args, program: program.name };
  return shellProgram(name, args, read);
}

type ReadScript = (path: string) => { text: string };

function shellProgram(name: string, args: readonly string[], read: ReadScript): ShellProgram {
  const { flags, source, name: given, args: positional } = parseShellArguments(args);
  switch (source.from) {
    case "text":
      return { kind: "script", name: given ?? name, args: positional, flags, text: source.text };
    case "input":
      return { kind: "input", name, args: positional, flags };
    case "file": {
      const { text } = read(source.path);
      return { kind: "script", name: source.path, args: positional, flags, text, file: source.path };
    }
  }
}

/** How a shell reports that it cannot start something: what it says, and the code it goes on with. */
export function startFailure(error: unknown): { message: string; exitCode: number } | undefined {
  if (error instanceof TooManyProcessesError) return { message: error.message, exitCode: 254 };
  if (error instanceof ShellUsageError) return { message: error.message, exitCode: 2 };
  if (!(error instanceof StartError)) return undefined;
  return {
    message: error.message,
    exitCode: /permission denied|binary file|interpreter/.test(error.message) ? 126 : 127,
  };
}
