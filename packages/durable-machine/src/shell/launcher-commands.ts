import type { CommandContext, ExecResult } from "just-bash/browser";
import { lookUp } from "../look-up.ts";
import { exportedVariables } from "./child-processes.ts";
import type { RunOptions } from "./command-environment.ts";
import { parseOptions, UsageError } from "./commands/options.ts";
import { MAX_TIMER_MS, parseDuration } from "./job-commands.ts";
import type { Shell } from "./shell.ts";
import { result, runProgram, type ShellCommand } from "./shell-commands.ts";

const TIMED_OUT = 124;

export const LAUNCHER_COMMANDS: Readonly<Record<string, ShellCommand>> = {
  env,
  printenv: (_, args, context) => printVariables(args, context),
  timeout,
  nice: launcher("n,adjustment="),
  setsid: launcher("c,ctty f,fork w,wait"),
  stdbuf: launcher("i,input= o,output= e,error="),
};

function launcher(patterns: string): ShellCommand {
  return async (shell, args, context) =>
    await launch(shell, parseOptions(args, patterns, { operandsEndOptions: true }).operands, context);
}

async function launch(
  shell: Shell,
  [name, ...args]: readonly string[],
  context: CommandContext,
  options: Pick<RunOptions, "environment" | "signal"> = {},
): Promise<ExecResult> {
  if (name === undefined) throw new UsageError("missing operand");
  return await runProgram(shell, [name, ...args], context, options);
}

async function env(shell: Shell, args: string[], context: CommandContext): Promise<ExecResult> {
  const patterns = "i,ignore-environment 0,null u,unset=";
  const options = parseOptions(args, patterns, { operandsEndOptions: true });
  const argv = [...options.operands];
  const isEmpty = argv[0] === "-" && argv.shift() !== undefined;
  const environment = isEmpty || options.has("i") ? {} : exportedVariables(context);
  for (const name of options.values("u")) delete environment[name];
  while (argv[0]?.includes("=")) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(argv.shift() ?? "") ?? [];
    environment[name] = value;
  }
  if (argv.length > 0) return await launch(shell, argv, context, { environment });
  return result(0, list(environment, options.has("0") ? "\0" : "\n"));
}

function list(environment: Record<string, string>, separator: string): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}${separator}`)
    .join("");
}

function printVariables(args: string[], context: CommandContext): ExecResult {
  const environment = exportedVariables(context);
  if (args.length === 0) return result(0, list(environment, "\n"));
  const values = args.flatMap((name) => lookUp(environment, name) ?? []);
  return result(values.length === args.length ? 0 : 1, values.map((value) => `${value}\n`).join(""));
}

async function timeout(shell: Shell, args: string[], context: CommandContext): Promise<ExecResult> {
  const patterns = "k,kill-after= s,signal= v,verbose ,foreground ,preserve-status";
  const options = parseOptions(args, patterns, { operandsEndOptions: true });
  const [duration = "", ...argv] = options.operands;
  const seconds = parseDuration(duration);
  const over = new AbortController();
  const stop = () => over.abort();
  const timer = seconds > 0 ? setTimeout(stop, Math.min(seconds * 1000, MAX_TIMER_MS)) : undefined;
  context.signal?.addEventListener("abort", stop, { once: true });
  try {
    const ended = await launch(shell, argv, context, { signal: over.signal });
    const isTimedOut = over.signal.aborted && !options.has("preserve-status");
    return isTimedOut ? { ...ended, exitCode: TIMED_OUT } : ended;
  } finally {
    if (timer !== undefined) clearTimeout(timer);
    context.signal?.removeEventListener("abort", stop);
  }
}
