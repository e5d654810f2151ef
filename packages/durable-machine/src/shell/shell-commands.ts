import type { CommandContext, ExecResult } from "just-bash/browser";
import { ByteInput } from "./byte-input.ts";
import type { Write } from "./byte-output.ts";
import { toByteString } from "./byte-strings.ts";
import { exportedVariables, runChild, startChild } from "./child-processes.ts";
import type { RunOptions } from "./command-environment.ts";
import { bundledCommand, isComplete, isInSubshell, parseScript, printScript, statusOf } from "./just-bash.ts";
import { joinPath } from "./paths.ts";
import { roundableValues } from "./rounding.ts";
import type { Shell } from "./shell.ts";
import type { ShellProgram } from "./shell-program.ts";
import { script } from "./transforms/ast.ts";
import { COMMAND_DIRECTORY, DESCRIPTORS, OWN_COMMANDS, VARIABLES } from "./transforms/names.ts";
import { exitCodeOf } from "./traps.ts";

export type ShellCommand = (
  shell: Shell,
  args: string[],
  context: CommandContext,
) => Promise<ExecResult> | ExecResult;

function statusText(code: number): string {
  return `${COMMAND_DIRECTORY}/${OWN_COMMANDS.status} ${code} && \${${VARIABLES.empty}-}`;
}

export function result(exitCode: number, stdout = "", stderr = ""): ExecResult {
  return { stdout, stderr, exitCode };
}

export const SHELL_COMMANDS: Readonly<Record<string, ShellCommand>> = {
  [OWN_COMMANDS.status]: (_, [code]) => result(Number(code)),
  [OWN_COMMANDS.prepareEval]: prepareEval,
  [OWN_COMMANDS.prepareExit]: prepareExit,
  [OWN_COMMANDS.checkSignals]: checkSignals,
  [OWN_COMMANDS.job]: startJob,
  [OWN_COMMANDS.nextCommand]: readCommand,
  [OWN_COMMANDS.script]: runScript,
  echo: (_, args, context) => print(args, context, !args.some((arg) => arg.includes("\\"))),
  printf: (_, args, context) => printFormatted(args, context),
  bash: (shell, args, context) => runProgram(shell, ["bash", ...args], context),
  sh: (shell, args, context) => runProgram(shell, ["sh", ...args], context),
};

/**
 * The bundled `echo` and `printf` write text, in which `\xff` is a letter. Given arguments of which each
 * character is a byte, they write bytes.
 */
async function print(args: string[], context: CommandContext, isText: boolean): Promise<ExecResult> {
  const bundled = bundledCommand(context);
  if (isText) return await bundled(args);
  return { ...(await bundled(args.map(toBytes))), stdoutKind: "bytes" };
}

async function printFormatted(args: string[], context: CommandContext): Promise<ExecResult> {
  const at = args[0] === "-v" ? 2 : args[0] === "--" ? 1 : 0;
  const [format = "", ...values] = args.slice(at);
  return print([...args.slice(0, at + 1), ...roundableValues(format, values)], context, args[0] === "-v");
}

function toBytes(arg: string): string {
  const text = arg.replace(/\\(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/g, (written, short, long) => {
    const code = Number.parseInt(short ?? long, 16);
    return code <= 0x10ffff && code > 0x7f ? String.fromCodePoint(code) : written;
  });
  return toByteString(new TextEncoder().encode(text));
}

async function prepareEval(shell: Shell, args: string[], context: CommandContext): Promise<ExecResult> {
  const words = args[0] === "--" ? args.slice(1) : args;
  const status = statusOf(context);
  context.env.set(VARIABLES.evaluated, await shell.prepareText(words.join(" ")));
  return result(status);
}

async function prepareExit(shell: Shell, [code]: string[], context: CommandContext): Promise<ExecResult> {
  const isNumber = code === undefined || /^-?\d+$/.test(code);
  const status =
    code === undefined ? statusOf(context) : isNumber ? Number(BigInt.asUintN(8, BigInt(code))) : 2;
  const handler = isInSubshell(context) ? undefined : shell.traps.takeExitHandler();
  context.env.set(VARIABLES.handler, handler ? await shell.prepareText(handler) : "");
  context.env.set(VARIABLES.status, String(status));
  return result(status, "", isNumber ? "" : `bash: exit: ${code}: numeric argument required\n`);
}

async function checkSignals(shell: Shell, _: string[], context: CommandContext): Promise<ExecResult> {
  const status = statusOf(context);
  shell.traps.see();
  const arrived = isInSubshell(context) ? undefined : shell.traps.next();
  const text = arrived && (arrived.handler ?? `exit ${exitCodeOf(arrived.signal)}`);
  context.env.set(VARIABLES.handler, text ? `${await shell.prepareText(text)}\n${statusText(status)}` : "");
  return result(status);
}

async function readCommand(shell: Shell, _: string[], context: CommandContext): Promise<ExecResult> {
  const status = statusOf(context);
  let text = "";
  do {
    const line = await shell.options.input.readLine();
    if (line === undefined && text === "") return result(1);
    if (line === undefined) break;
    text += new TextDecoder().decode(line);
  } while (!(await isComplete(text)));
  context.env.set(VARIABLES.evaluated, `${statusText(status)}\n${await shell.prepareText(text)}`);
  return result(0);
}

/** Where a command's errors go while it runs. Without a descriptor they are kept for its result. */
function errorsOf(shell: Shell, context: CommandContext): { write: Write; kept: () => string } {
  const route = shell.routeOf(context, DESCRIPTORS.stderr);
  const kept: string[] = [];
  return {
    write: route ?? (async (bytes) => void kept.push(new TextDecoder().decode(bytes))),
    kept: () => kept.join(""),
  };
}

/** Runs an executable file under the name that it was called by. */
async function runScript(
  shell: Shell,
  [path = "", ...args]: string[],
  context: CommandContext,
): Promise<ExecResult> {
  const calledAs = context.env.get(VARIABLES.calledAs) ?? "";
  const isSame = calledAs.includes("/") && joinPath(context.cwd, calledAs) === path;
  return await runProgram(shell, [isSame ? calledAs : path, ...args], context);
}

export async function runProgram(
  shell: Shell,
  argv: readonly [string, ...string[]],
  context: CommandContext,
  options: Pick<RunOptions, "environment" | "signal"> = {},
): Promise<ExecResult> {
  const output = shell.outputOf(context);
  const errors = errorsOf(shell, context);
  const exitCode = await runChild(shell, argv, context, {
    stdout: (bytes) => output.write(bytes),
    stderr: errors.write,
    input: "inherited",
    ...options,
  });
  return output.result(exitCode, errors.kept());
}

/** The interpreter splits the words of an array that is declared and filled at once. */
function toAssignments(state: string): string {
  return state
    .replace(/^declare -a (\w+)=\(/gm, "$1=(")
    .replace(/^declare -A (\w+)=\(/gm, "declare -A $1\n$1=(");
}

async function startJob(shell: Shell, [id, ...args]: string[], context: CommandContext): Promise<ExecResult> {
  const job = shell.context.registry.jobs[Number(id)];
  if (!job) return result(1, "", "bash: no such job\n");
  const program: ShellProgram = {
    kind: "job",
    name: context.env.get("0") ?? "bash",
    args,
    functions: [...shell.functions.values()],
    state: await parseScript(toAssignments(String(context.stdin))),
    script: job.script,
  };
  const stdout = shell.routeOf(context, DESCRIPTORS.stdout);
  const output = shell.outputOf(context);
  const errors = errorsOf(shell, context);
  const child = startChild(shell, program, {
    directory: context.cwd,
    environment: exportedVariables(context),
    stdout: stdout ?? ((bytes) => output.write(bytes)),
    stderr: errors.write,
    input: new ByteInput(new Uint8Array(0)),
  });
  shell.jobs.add({ ...child, command: printScript(script([job.source])) });
  context.env.set(VARIABLES.jobPid, String(child.pid));
  // A job that starts jobs must not keep the turn.
  await shell.context.slice.rest();
  if (stdout) return result(0);
  // A pipe or substitution that takes its output waits for its end.
  await child.ended;
  return output.result(0, errors.kept());
}
