import type { ProcessEntry } from "../../processes/process-table.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { sendSignal } from "./kill.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { programOf } from "./ps-columns.ts";
import { signalName } from "./signals.ts";

const OPTIONS = [
  "f,full",
  "x,exact",
  "i,ignore-case",
  "l,list-name",
  "a,list-full",
  "c,count",
  "n,newest",
  "o,oldest",
  "u,euid=",
  "U,uid=",
  "P,parent=",
  "v,inverse",
  "d,delimiter=",
  "e,echo",
  ",signal=",
];

const USAGE_CODE = 2;

/**
 * Which lines a pattern matches. The shell's own grep knows, and its engine takes linear time: somebody's pattern must
 * not hold up the machine.
 */
async function matchingLines(
  invocation: Invocation,
  options: ParsedOptions,
  { pattern, lines }: { pattern: string; lines: readonly string[] },
): Promise<Set<number>> {
  const letters = `-nE${options.has("x") ? "x" : ""}${options.has("i") ? "i" : ""}`;
  const decoder = new TextDecoder();
  let stdout = "";
  let stderr = "";
  const exitCode = await invocation.environment.run(["grep", letters, "-e", pattern], invocation.context, {
    input: new TextEncoder().encode(lines.map((line) => `${line.replaceAll("\n", " ")}\n`).join("")),
    stdout: async (bytes) => {
      stdout += decoder.decode(bytes);
    },
    stderr: async (bytes) => {
      stderr += decoder.decode(bytes);
    },
  });
  if (exitCode > 1) throw new UsageError(stderr.trim(), { hint: false });
  return new Set(stdout.split("\n").map((line) => Number.parseInt(line, 10) - 1));
}

async function findProcesses(invocation: Invocation, options: ParsedOptions): Promise<ProcessEntry[]> {
  const [pattern, extra] = options.operands;
  const criteria = options.has("u", "U", "P");
  if (pattern === undefined && !criteria) throw new UsageError("no matching criteria specified");
  if (extra !== undefined) throw new UsageError("only one pattern can be provided");
  const uids = [...options.values("u"), ...options.values("U")].map(
    (name) => invocation.environment.users.find(name)?.uid,
  );
  const parents = options.values("P").map(Number);
  const processes = invocation.environment.processes
    .list()
    .filter(
      ({ pid, user, parentPid }) =>
        pid !== invocation.environment.pid &&
        (uids.length === 0 || uids.includes(user.uid)) &&
        (parents.length === 0 || parents.includes(parentPid)),
    );
  if (pattern === undefined) return processes;
  const lines = processes.map((process) => (options.has("f") ? process.command : programOf(process)));
  const matching = await matchingLines(invocation, options, { pattern, lines });
  const found = processes.filter((_, index) => matching.has(index) !== options.has("v"));
  if (options.has("n")) return found.slice(-1);
  return options.has("o") ? found.slice(0, 1) : found;
}

export const pgrep: MachineCommand = {
  name: "pgrep",
  usage: "pgrep [options] <pattern>",
  usageExitCode: USAGE_CODE,
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    const found = await findProcesses(invocation, options);
    const describe = (process: ProcessEntry) => {
      if (options.has("a")) return `${process.pid} ${process.command}`;
      return options.has("l") ? `${process.pid} ${programOf(process)}` : String(process.pid);
    };
    const delimiter = options.value("d") ?? "\n";
    if (options.has("c")) await invocation.print(`${found.length}\n`);
    else if (found.length > 0) await invocation.print(`${found.map(describe).join(delimiter)}\n`);
    return found.length > 0 ? 0 : 1;
  },
};

/** A signal is written like options: `pkill -9`, `pkill -KILL`. */
function takeSignal(args: readonly string[]): { signal: string | undefined; rest: string[] } {
  const index = args.findIndex((arg) => /^-[A-Z0-9]{2,}|^-\d$/.test(arg));
  const word = args[index];
  const name = word === undefined ? undefined : signalName(word.slice(1));
  return { signal: name, rest: args.filter((_, at) => name === undefined || at !== index) };
}

export const pkill: MachineCommand = {
  name: "pkill",
  usage: "pkill [options] <pattern>",
  usageExitCode: USAGE_CODE,
  async run(invocation) {
    const { signal, rest } = takeSignal(invocation.args);
    const options = invocation.options(OPTIONS, { args: rest });
    const name = signal ?? signalName(options.value("signal") ?? "TERM");
    if (name === undefined)
      throw new UsageError(`Unknown signal "${options.value("signal")}".`, { hint: false });
    const found = await findProcesses(invocation, options);
    for (const process of found) {
      const result = sendSignal(invocation, process.pid, name);
      if (result !== "sent") invocation.complain(`killing pid ${process.pid} failed: ${result}`);
      else if (options.has("e"))
        await invocation.print(`${programOf(process)} killed (pid ${process.pid})\n`);
    }
    if (options.has("c")) await invocation.print(`${found.length}\n`);
    return found.length > 0 ? 0 : 1;
  },
};
