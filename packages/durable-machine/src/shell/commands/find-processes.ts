import type { ProcessEntry } from "../../processes/process-table.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { sendSignal, signalName } from "./kill.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { programOf } from "./ps.ts";
import { quoteWord } from "./quoting.ts";

const CRITERIA = "f,full x,exact i,ignore-case v,inverse n,newest o,oldest u,euid= U,uid= P,parent= c,count";

/** The numbers of the lines that match. The shell's grep takes linear time, so that no pattern holds up others. */
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
  const listed = (...keys: string[]) =>
    keys.flatMap((key) => options.values(key)).flatMap((it) => it.split(","));
  const uids = listed("u", "U").map((name) => users.find(name)?.uid);
  const parents = listed("P").map(Number);
  let found = processes.list().filter(({ pid, user, parentPid }) => {
    const isOfUser = uids.length === 0 || uids.includes(user.uid);
    return pid !== ownPid && isOfUser && (parents.length === 0 || parents.includes(parentPid));
  });
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
  usageExitCode: 2,
  async run(invocation) {
    const options = invocation.options(`${CRITERIA} l,list-name a,list-full d,delimiter=`);
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
  usageExitCode: 2,
  async run(invocation) {
    const { args } = invocation;
    // A signal looks like options: `pkill -9`, `pkill -KILL`.
    const short = args.find(
      (arg) => /^-([A-Z0-9]{2,}|\d)$/.test(arg) && signalName(arg.slice(1)) !== undefined,
    );
    const options = invocation.options(`${CRITERIA} e,echo ,signal=`, {
      args: args.filter((arg) => arg !== short),
    });
    const signal = short?.slice(1) ?? options.value("signal") ?? "TERM";
    const name = signalName(signal);
    if (name === undefined) throw new UsageError(`Unknown signal "${signal}".`, { hint: false });
    const found = await findProcesses(invocation, options);
    for (const process of found) {
      const failure = sendSignal(invocation, process.pid, name);
      const message = `${programOf(process)} killed (pid ${process.pid})\n`;
      if (failure !== undefined) invocation.complain(`killing pid ${process.pid} failed: ${failure}`);
      else if (options.has("e")) await invocation.print(message);
    }
    if (options.has("c")) await invocation.print(`${found.length}\n`);
    return found.length > 0 ? 0 : 1;
  },
};
