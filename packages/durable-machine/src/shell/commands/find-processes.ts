import type { ProcessEntry } from "../../processes/process-table.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { sendSignal } from "./kill.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { programOf } from "./ps-columns.ts";
import { quoteWord } from "./quoting.ts";
import { signalName } from "./signals.ts";

const OPTIONS = [
  "f,full x,exact i,ignore-case v,inverse n,newest o,oldest u,euid= U,uid= P,parent=",
  "l,list-name a,list-full c,count d,delimiter= e,echo ,signal=",
].flatMap((line) => line.split(" "));

const USAGE_CODE = 2;

/**
 * Which lines a pattern matches. The shell's own grep knows, and its engine takes linear time: somebody's pattern must
 * not hold up the machine.
 */
async function matchingLines(
  invocation: Invocation,
  flags: string,
  { pattern, lines }: { pattern: string; lines: readonly string[] },
): Promise<Set<number>> {
  let stdout = "";
  const exitCode = await invocation.environment.run(["grep", flags, "-e", pattern], invocation.context, {
    input: new TextEncoder().encode(lines.map((line) => `${line.replaceAll("\n", " ")}\n`).join("")),
    stdout: async (bytes) => {
      stdout += new TextDecoder().decode(bytes);
    },
    stderr: async () => {},
  });
  if (exitCode > 1) throw new UsageError(`invalid pattern ${quoteWord(pattern)}`, { hint: false });
  return new Set(stdout.split("\n").map((line) => Number.parseInt(line, 10) - 1));
}

async function findProcesses(invocation: Invocation, options: ParsedOptions): Promise<ProcessEntry[]> {
  const { processes, pid: ownPid, users } = invocation.environment;
  const [pattern, extra] = options.operands;
  if (extra !== undefined) throw new UsageError("only one pattern can be provided");
  if (pattern === undefined && !options.has("u", "U", "P")) {
    throw new UsageError("no matching criteria specified");
  }
  let found = processes.list().filter(({ pid }) => pid !== ownPid);
  if (options.has("u", "U")) {
    const names = [...options.values("u"), ...options.values("U")].join(",").split(",");
    const uids = names.map((name) => users.find(name)?.uid);
    found = found.filter(({ user }) => uids.includes(user.uid));
  }
  if (options.has("P")) {
    const parents = options.values("P").join(",").split(",").map(Number);
    found = found.filter(({ parentPid }) => parents.includes(parentPid));
  }
  if (pattern !== undefined) {
    const flags = `-nE${options.has("x") ? "x" : ""}${options.has("i") ? "i" : ""}`;
    const lines = found.map((process) => (options.has("f") ? process.command : programOf(process)));
    const matching = await matchingLines(invocation, flags, { pattern, lines });
    found = found.filter((_, index) => matching.has(index) !== options.has("v"));
  }
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
    const lines = found.map((process) => {
      if (options.has("a")) return `${process.pid} ${process.command}`;
      return options.has("l") ? `${process.pid} ${programOf(process)}` : String(process.pid);
    });
    if (options.has("c")) await invocation.print(`${found.length}\n`);
    else if (found.length > 0) await invocation.print(`${lines.join(options.value("d") ?? "\n")}\n`);
    return found.length > 0 ? 0 : 1;
  },
};

export const pkill: MachineCommand = {
  name: "pkill",
  usage: "pkill [options] <pattern>",
  usageExitCode: USAGE_CODE,
  async run(invocation) {
    const { args } = invocation;
    // A signal is written like options: `pkill -9`, `pkill -KILL`.
    const written = args.find(
      (arg) => /^-([A-Z0-9]{2,}|\d)$/.test(arg) && signalName(arg.slice(1)) !== undefined,
    );
    const options = invocation.options(OPTIONS, { args: args.filter((arg) => arg !== written) });
    const signal = written?.slice(1) ?? options.value("signal") ?? "TERM";
    const name = signalName(signal);
    if (name === undefined) throw new UsageError(`Unknown signal "${signal}".`, { hint: false });
    const found = await findProcesses(invocation, options);
    for (const process of found) {
      const failure = sendSignal(invocation, process.pid, name);
      const killed = `${programOf(process)} killed (pid ${process.pid})\n`;
      if (failure !== undefined) invocation.complain(`killing pid ${process.pid} failed: ${failure}`);
      else if (options.has("e")) await invocation.print(killed);
    }
    if (options.has("c")) await invocation.print(`${found.length}\n`);
    return found.length > 0 ? 0 : 1;
  },
};
