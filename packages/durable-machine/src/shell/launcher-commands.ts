import type { CommandContext, ExecResult } from "just-bash/browser";
import { exportedVariables } from "./child-processes.ts";
import { MAX_TIMER_MS, parseDuration } from "./job-commands.ts";
import type { Shell } from "./shell.ts";
import { errorsOf, result, runChild, type ShellCommand } from "./shell-commands.ts";

/** Commands that run another one in surroundings of its own. */
export const LAUNCHER_COMMANDS: Readonly<Record<string, ShellCommand>> = {
  env,
  printenv: (_, args, context) => printVariables(args, context),
  timeout,
  nice: (shell, args, context) => launch(shell, skipOptions(args, ["-n"]), context),
  setsid: (shell, args, context) => launch(shell, skipOptions(args, []), context),
  stdbuf: (shell, args, context) => launch(shell, skipOptions(args, ["-i", "-o", "-e"]), context),
};

function skipOptions(args: readonly string[], withValue: readonly string[]): string[] {
  let index = 0;
  while (args[index]?.startsWith("-")) {
    if (args[index] === "--") return args.slice(index + 1);
    index += withValue.includes(args[index] ?? "") ? 2 : 1;
  }
  return args.slice(index);
}

async function launch(
  shell: Shell,
  argv: readonly string[],
  context: CommandContext,
  options: { environment?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<ExecResult> {
  if (argv.length === 0) return result(125, "", "missing operand\n");
  const output = shell.outputOf(context);
  const errors = errorsOf(shell, context);
  const exitCode = await runChild(shell, argv, context, output, errors.write, options);
  return output.result(exitCode, errors.kept());
}

async function env(shell: Shell, args: string[], context: CommandContext): Promise<ExecResult> {
  let environment = exportedVariables(context);
  let separator = "\n";
  let index = 0;
  for (; index < args.length; index++) {
    const arg = args[index] ?? "";
    const [assigned, name, value] = /^([^=-][^=]*)=(.*)$/s.exec(arg) ?? [];
    if (assigned !== undefined && name !== undefined) environment = { ...environment, [name]: value ?? "" };
    else if (arg === "-i" || arg === "-" || arg === "--ignore-environment") environment = {};
    else if (arg === "-0" || arg === "--null") separator = "\0";
    else if (arg === "-u") delete environment[args[++index] ?? ""];
    else if (arg.startsWith("--unset=")) delete environment[arg.slice("--unset=".length)];
    else if (arg === "--") {
      index++;
      break;
    } else if (arg.startsWith("-")) return result(125, "", `env: invalid option -- '${arg.slice(1)}'\n`);
    else break;
  }
  const argv = args.slice(index);
  if (argv.length > 0) return await launch(shell, argv, context, { environment });
  return result(0, list(environment, separator));
}

function list(environment: Record<string, string>, separator: string): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}${separator}`)
    .join("");
}

function printVariables(args: string[], context: CommandContext): ExecResult {
  const environment = exportedVariables(context);
  if (args.length === 0) return result(0, list(environment, "\n"));
  const values = args.flatMap((name) => environment[name] ?? []);
  return result(values.length === args.length ? 0 : 1, values.map((value) => `${value}\n`).join(""));
}

const TIMED_OUT = 124;

async function timeout(shell: Shell, args: string[], context: CommandContext): Promise<ExecResult> {
  const keepsStatus = args.includes("--preserve-status");
  const [duration = "", ...argv] = skipOptions(args, ["-k", "-s"]);
  const seconds = parseDuration(duration);
  if (seconds === undefined) return result(125, "", `timeout: invalid time interval '${duration}'\n`);
  const over = new AbortController();
  const timer =
    seconds > 0 ? setTimeout(() => over.abort(), Math.min(seconds * 1000, MAX_TIMER_MS)) : undefined;
  const stop = () => over.abort();
  context.signal?.addEventListener("abort", stop, { once: true });
  try {
    const ended = await launch(shell, argv, context, { signal: over.signal });
    return over.signal.aborted && !keepsStatus ? { ...ended, exitCode: TIMED_OUT } : ended;
  } finally {
    if (timer !== undefined) clearTimeout(timer);
    context.signal?.removeEventListener("abort", stop);
  }
}
