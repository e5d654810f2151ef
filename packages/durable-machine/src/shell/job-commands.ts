import type { CommandContext, ExecResult } from "just-bash/browser";
import { UsageError } from "./commands/options.ts";
import { isInSubshell } from "./just-bash.ts";
import type { Shell } from "./shell.ts";
import { result, type ShellCommand } from "./shell-commands.ts";
import { trapName } from "./traps.ts";

const INTERRUPTED = 143;

export const JOB_COMMANDS: Readonly<Record<string, ShellCommand>> = {
  wait,
  jobs: listJobs,
  disown,
  fg: () => result(1, "", "bash: fg: no job control\n"),
  bg: () => result(1, "", "bash: bg: no job control\n"),
  trap,
  umask,
  ulimit: (_, args) => result(0, args.some((arg) => /^\d+$/.test(arg)) ? "" : "unlimited\n"),
  times: () => result(0, "0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n"),
  sleep,
};

async function wait(shell: Shell, args: string[]): Promise<ExecResult> {
  const { jobs } = shell;
  const isNext = args[0] === "-n";
  const names = isNext ? args.slice(1) : args;
  const wanted = names.length === 0 ? [...jobs.all] : names.flatMap((name) => jobs.find(name) ?? []);
  const stderr = names
    .filter((name) => !jobs.find(name))
    .map((name) =>
      name.startsWith("%") ? `${name}: no such job` : `pid ${name} is not a child of this shell`,
    )
    .map((message) => `bash: wait: ${message}\n`)
    .join("");
  if (wanted.length === 0) return result(names.length > 0 || isNext ? 127 : 0, "", stderr);
  const ends = wanted.map(async (job) => ({ job, code: await job.ended }));
  let exitCode = 0;
  for (const end of isNext ? [Promise.race(ends)] : ends) {
    const ended = await unlessSignaled(shell, end);
    if (!ended) return result(INTERRUPTED, "", stderr);
    jobs.forget(ended.job);
    if (names.length > 0 || isNext) exitCode = ended.code;
  }
  return result(exitCode, "", stderr);
}

/** @returns undefined if a signal that the shell handles arrives first. */
async function unlessSignaled<T>(shell: Shell, work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stop = shell.traps.onArrival(() => resolve(undefined));
  try {
    return await shell.whileAlive(Promise.race([work, promise]));
  } finally {
    stop();
  }
}

function listJobs(shell: Shell, args: string[]): ExecResult {
  const { all, running } = shell.jobs;
  const shown = args.includes("-r") ? running : all;
  if (args.includes("-p")) return result(0, shown.map(({ pid }) => `${pid}\n`).join(""));
  const lines = shown.map((job) => {
    const mark = job === all.at(-1) ? "+" : job === all.at(-2) ? "-" : " ";
    const pid = args.includes("-l") ? `${job.pid} ` : "";
    const { exitCode, command } = job;
    const state = exitCode === undefined ? "Running" : (STATES[exitCode] ?? `Exit ${exitCode}`);
    const end = exitCode === undefined ? " &" : "";
    return `[${job.number}]${mark}  ${pid}${state.padEnd(24)}${command}${end}\n`;
  });
  for (const job of all) if (job.exitCode !== undefined) shell.jobs.forget(job);
  return result(0, lines.join(""));
}

const STATES: Readonly<Record<number, string>> = { 0: "Done", 137: "Killed", 143: "Terminated" };

function disown({ jobs }: Shell, args: string[]): ExecResult {
  const names = args.filter((arg) => !arg.startsWith("-"));
  for (const name of names.length > 0 ? names : ["%%"]) {
    const job = jobs.find(name);
    if (job) jobs.forget(job);
  }
  return result(0);
}

function trap(shell: Shell, args: string[], context: CommandContext): ExecResult {
  const { traps } = shell;
  const words = args[0] === "--" ? args.slice(1) : args;
  const [first, ...rest] = words;
  if (first === undefined || first === "-p") {
    const wanted = new Set(rest.map(trapName));
    const shown = traps.list().filter(([name]) => rest.length === 0 || wanted.has(name));
    const lines = shown.map(([name, handler]) => {
      const signal = ["EXIT", "ERR", "DEBUG", "RETURN"].includes(name) ? name : `SIG${name}`;
      return `trap -- '${handler.replaceAll("'", `'\\''`)}' ${signal}\n`;
    });
    return result(0, lines.join(""));
  }
  if (first === "-l") return result(0, " 1) SIGHUP\t 2) SIGINT\t 9) SIGKILL\t15) SIGTERM\n");
  // A signal's name alone removes its handler.
  const isReset = first === "-" || rest.length === 0 || /^\d+$/.test(first);
  const names = first === "-" || !isReset ? rest : words;
  let stderr = "";
  for (const text of names) {
    const name = trapName(text);
    if (!name) stderr += `bash: trap: ${text}: invalid signal specification\n`;
    else if (isInSubshell(context)) continue;
    else if (isReset) traps.handlers.delete(name);
    else traps.handlers.set(name, first);
  }
  return result(stderr === "" ? 0 : 1, "", stderr);
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

export const LAUNCH_FAILED = 125;

export const MAX_TIMER_MS = 2_000_000_000;

/** Seconds of a time such as `1.5m`. @throws UsageError */
export function parseDuration(text: string, exitCode = LAUNCH_FAILED): number {
  const [, number, unit = ""] = /^(\d+(?:\.\d*)?(?:e\d+)?|\.\d+|inf(?:inity)?)([smhd]?)$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`invalid time interval '${text}'`, { exitCode });
  return number.startsWith("inf") ? Number.POSITIVE_INFINITY : Number(number) * (UNIT_SECONDS[unit] ?? 1);
}

async function sleep(shell: Shell, args: string[], context: CommandContext): Promise<ExecResult> {
  if (args.length === 0) throw new UsageError("missing operand", { exitCode: 1 });
  const seconds = args.reduce((total, arg) => total + parseDuration(arg, 1), 0);
  const { promise, resolve } = Promise.withResolvers<number>();
  const wake = () => resolve(0);
  const timer = setTimeout(wake, Math.min(seconds * 1000, MAX_TIMER_MS));
  context.signal?.addEventListener("abort", wake, { once: true });
  try {
    return result((await unlessSignaled(shell, promise)) ?? INTERRUPTED);
  } finally {
    clearTimeout(timer);
    context.signal?.removeEventListener("abort", wake);
  }
}
