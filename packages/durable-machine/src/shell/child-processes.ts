import type { CommandContext } from "just-bash/browser";
import { type Signal, StartError } from "../processes/process.ts";
import { ByteInput } from "./byte-input.ts";
import type { RunOptions } from "./command-environment.ts";
import { ShellUsageError, toShellProgram } from "./program.ts";
import { Shell, type ShellOptions } from "./shell.ts";
import type { ShellProgram } from "./shell-program.ts";
import { isOwnVariable } from "./transforms/names.ts";
import { exitCodeOf } from "./traps.ts";

type ChildOptions = Omit<ShellOptions, "pid" | "parentPid" | "umask" | "signal" | "newCommandTable">;

export interface ChildProcess {
  pid: number;
  /** Its exit code: 128 plus the signal's number if a signal killed it. Never rejects. */
  ended: Promise<number>;
  kill: (signal: Signal) => void;
}

export function exportedVariables(context: CommandContext): Record<string, string> {
  const exported = Object.entries(context.exportedEnv ?? {});
  return Object.fromEntries(exported.filter(([name]) => !isOwnVariable(name)));
}

export function startChild(parent: Shell, program: ShellProgram, options: ChildOptions): ChildProcess {
  const { context } = parent;
  const { pid: parentPid, newCommandTable } = parent.options;
  let died: Signal = "KILL";
  const kill = (signal: Signal) => {
    died = signal;
    child.receive(signal);
  };
  const entry = { parentPid, user: context.user, command: commandOf(program), startedAt: Date.now() };
  const pid = context.processes.add(entry, kill);
  const { umask, signal } = parent;
  const child = new Shell(context, { ...options, pid, parentPid, umask, signal, newCommandTable });
  const ended = child.whileAlive(child.run(program)).catch(() => exitCodeOf(died));
  void ended.then(() => child.die());
  child.signal.addEventListener("abort", () => context.processes.remove(pid), { once: true });
  return { pid, ended, kill };
}

function commandOf(program: ShellProgram): string {
  const name = program.kind === "command" ? program.program : program.name;
  return [...(program.kind === "script" ? ["bash"] : []), name, ...program.args].join(" ");
}

/** Runs a command line as a process of its own. @returns its exit code. */
export async function runChild(
  shell: Shell,
  argv: readonly [string, ...string[]],
  context: CommandContext,
  { stdout, stderr, input, signal = context.signal, ...options }: RunOptions,
): Promise<number> {
  const { credentials } = shell;
  const { files } = shell.context;
  const directory = context.cwd;
  const environment = options.environment ?? exportedVariables(context);
  try {
    const program = toShellProgram(argv, { directory, path: environment.PATH, files, credentials });
    const child = startChild(shell, program, {
      directory,
      environment,
      stdout,
      stderr,
      input: input === "inherited" ? shell.inputOf(context) : new ByteInput(input ?? new Uint8Array(0)),
    });
    const kill = () => child.kill("KILL");
    signal?.addEventListener("abort", kill, { once: true });
    const exitCode = await child.ended;
    signal?.removeEventListener("abort", kill);
    return exitCode;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    await stderr(new TextEncoder().encode(`bash: ${error.message}\n`));
    return startExitCode(error);
  }
}

export function startExitCode(error: StartError): number {
  if (error instanceof ShellUsageError) return 2;
  if (error.code === "too_many_processes") return 254;
  return error.code === "command_not_executable" ? 126 : 127;
}
