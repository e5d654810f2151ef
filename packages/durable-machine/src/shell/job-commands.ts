import type { CommandContext, ExecResult } from "just-bash/browser";
import type { Job } from "./jobs.ts";
import { isInSubshell } from "./just-bash.ts";
import type { Shell } from "./shell.ts";
import { result, type ShellCommand } from "./shell-commands.ts";
import { type TrapName, trapName } from "./traps.ts";

/** What a waiting command answers when a signal comes that the shell has a handler for. */
const INTERRUPTED = 143;

/** The commands that stand for builtins about jobs, signals and limits. */
export const JOB_COMMANDS: Readonly<Record<string, ShellCommand>> = {
  wait,
  jobs: listJobs,
  disown,
  fg: foreground,
  bg: () => result(0),
  trap,
  umask,
  ulimit: (_, args) => result(0, args.some((arg) => /^\d+$/.test(arg)) ? "" : "unlimited\n"),
  times: () => result(0, "0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n"),
  sleep,
};

async function wait(shell: Shell, args: string[]): Promise<ExecResult> {
  const { jobs } = shell;
  const isNext = args[0] === "-n";
  const wanted = isNext ? args.slice(1) : args;
  const found = wanted.flatMap((each) => jobs.find(each) ?? []);
  const unknown = wanted.filter((each) => !jobs.find(each));
  const stderr = unknown
    .map((each) =>
      each.startsWith("%")
        ? `bash: wait: ${each}: no such job\n`
        : `bash: wait: pid ${each} is not a child of this shell\n`,
    )
    .join("");
  if (wanted.length > 0 && found.length === 0) return result(127, "", stderr);
  const candidates = wanted.length > 0 ? found : [...jobs.all];
  if (isNext) {
    if (candidates.length === 0) return result(127);
    const first = Promise.race(candidates.map(async (job) => ({ job, code: await job.ended })));
    const ended = await orSignal(shell, first, undefined);
    if (ended) jobs.forget(ended.job);
    return result(ended?.code ?? INTERRUPTED);
  }
  let exitCode = unknown.length > 0 ? 127 : 0;
  for (const job of candidates) {
    const code = await orSignal(shell, job.ended, undefined);
    if (code === undefined) return result(INTERRUPTED, "", stderr);
    jobs.forget(job);
    // Without names, `wait` waits for all and answers for none.
    exitCode = wanted.length > 0 ? code : 0;
  }
  return result(exitCode, "", stderr);
}

/** Waits for something, or for a signal that the shell has a handler for, or for its death. */
async function orSignal<T, I>(shell: Shell, work: Promise<T>, interrupted: I): Promise<T | I> {
  let stop = () => {};
  const signal = new Promise<I>((resolve, reject) => {
    const forget = shell.traps.onArrival(() => resolve(interrupted));
    const die = () => reject(shell.signal.reason);
    shell.signal.addEventListener("abort", die, { once: true });
    if (shell.signal.aborted) die();
    stop = () => {
      forget();
      shell.signal.removeEventListener("abort", die);
    };
  });
  try {
    return await Promise.race([work, signal]);
  } finally {
    stop();
  }
}

function listJobs(shell: Shell, args: string[]): ExecResult {
  const { all } = shell.jobs;
  const shown = args.includes("-r") ? all.filter(({ exitCode }) => exitCode === undefined) : all;
  if (args.includes("-p")) return result(0, shown.map(({ pid }) => `${pid}\n`).join(""));
  const lines = shown.map((job) => {
    const mark = job === all.at(-1) ? "+" : job === all.at(-2) ? "-" : " ";
    const pid = args.includes("-l") ? `${job.pid} ` : "";
    const isRunning = job.exitCode === undefined;
    return `[${job.number}]${mark}  ${pid}${stateOf(job).padEnd(24)}${job.command}${isRunning ? " &" : ""}\n`;
  });
  for (const job of all) if (job.exitCode !== undefined) shell.jobs.forget(job);
  return result(0, lines.join(""));
}

function stateOf({ exitCode }: Job): string {
  if (exitCode === undefined) return "Running";
  if (exitCode === 0) return "Done";
  if (exitCode === 143) return "Terminated";
  if (exitCode === 137) return "Killed";
  return `Exit ${exitCode}`;
}

function disown(shell: Shell, args: string[]): ExecResult {
  const names = args.filter((arg) => !arg.startsWith("-"));
  const jobs = names.length > 0 ? names.map((name) => shell.jobs.find(name)) : [shell.jobs.find("%%")];
  for (const job of jobs) if (job) shell.jobs.forget(job);
  return result(0);
}

async function foreground(shell: Shell, [name = "%%"]: string[]): Promise<ExecResult> {
  const job = shell.jobs.find(name);
  if (!job) return result(1, "", `bash: fg: ${name === "%%" ? "current" : name}: no such job\n`);
  const code = await orSignal(shell, job.ended, INTERRUPTED);
  shell.jobs.forget(job);
  return result(code, `${job.command}\n`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function trap(shell: Shell, args: string[], context: CommandContext): ExecResult {
  const { traps } = shell;
  const words = args[0] === "--" ? args.slice(1) : args;
  const [first, ...rest] = words;
  if (first === undefined || first === "-p") {
    const wanted = new Set(rest.map(trapName));
    const shown = traps.list().filter(([name]) => rest.length === 0 || wanted.has(name));
    return result(
      0,
      shown.map(([name, handler]) => `trap -- ${quote(handler)} ${shownName(name)}\n`).join(""),
    );
  }
  if (first === "-l") return result(0, " 1) SIGHUP\t 2) SIGINT\t 9) SIGKILL\t15) SIGTERM\n");
  // With one argument that names a signal, its handler is taken away.
  const isReset = first === "-" || rest.length === 0 || /^\d+$/.test(first);
  const names = first === "-" || !isReset ? rest : words;
  let stderr = "";
  for (const text of names) {
    const name = trapName(text);
    if (!name) stderr += `bash: trap: ${text}: invalid signal specification\n`;
    else if (isInSubshell(context)) continue;
    else if (isReset) traps.remove(name);
    else traps.set(name, first);
  }
  return result(stderr === "" ? 0 : 1, "", stderr);
}

function shownName(name: TrapName): string {
  return ["EXIT", "ERR", "DEBUG", "RETURN"].includes(name) ? name : `SIG${name}`;
}

function umask(shell: Shell, args: string[]): ExecResult {
  const value = args.find((arg) => !arg.startsWith("-"));
  if (value === undefined) {
    const octal = shell.umask.toString(8).padStart(4, "0");
    return result(0, args.includes("-p") ? `umask ${octal}\n` : `${octal}\n`);
  }
  if (!/^[0-7]{1,4}$/.test(value)) return result(1, "", `bash: umask: ${value}: octal number out of range\n`);
  shell.umask = Number.parseInt(value, 8);
  return result(0);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };

export const MAX_TIMER_MS = 2_000_000_000;

/** Seconds of a time such as `1.5m`; undefined: it is none. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit = ""] = /^(\d+\.?\d*(?:e\d+)?|\.\d+|inf(?:inity)?)([smhd]?)$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  return number.startsWith("inf") ? Number.POSITIVE_INFINITY : Number(number) * (UNIT_SECONDS[unit] ?? 1);
}

async function sleep(shell: Shell, args: string[], context: CommandContext): Promise<ExecResult> {
  if (args.length === 0) return result(1, "", "sleep: missing operand\n");
  let seconds = 0;
  for (const arg of args) {
    const duration = parseDuration(arg);
    if (duration === undefined) return result(1, "", `sleep: invalid time interval '${arg}'\n`);
    seconds += duration;
  }
  let wake = () => {};
  const timer = setTimeout(() => wake(), Math.min(seconds * 1000, MAX_TIMER_MS));
  const rest = new Promise<number>((resolve) => {
    wake = () => resolve(0);
  });
  const stop = () => wake();
  context.signal?.addEventListener("abort", stop, { once: true });
  try {
    return result(await orSignal(shell, rest, INTERRUPTED));
  } finally {
    clearTimeout(timer);
    context.signal?.removeEventListener("abort", stop);
  }
}
