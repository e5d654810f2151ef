import type { ProcessEntry } from "../../processes/process-table.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { programOf } from "./ps.ts";

const USAGE = "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]";

/** Names by their numbers on Linux. */
export const SIGNALS = [
  "EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP",
  "TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS",
].flatMap((line) => line.split(" "));

const IGNORED_SIGNALS = ["EXIT", "CHLD", "CONT", "URG", "WINCH"];
const STOPPING_SIGNALS = ["STOP", "TSTP", "TTIN", "TTOU"];

const FAILURES = {
  killed: undefined,
  not_found: "No such process",
  not_permitted: "Operation not permitted",
};

const INIT_PID = 1;

function signalName(text: string): string | undefined {
  if (/^\d+$/.test(text)) return SIGNALS[Number(text)];
  const name = text.toUpperCase().replace(/^SIG/, "");
  return SIGNALS.includes(name) ? name : undefined;
}

function sendSignal(invocation: Invocation, pid: number, signal: string): string | undefined {
  const { processes, user } = invocation.environment;
  if (pid === INIT_PID) return FAILURES.not_permitted;
  if (STOPPING_SIGNALS.includes(signal)) return "Operation not supported on this machine";
  if (IGNORED_SIGNALS.includes(signal)) {
    const entry = processes.list().find((process) => process.pid === pid);
    if (entry === undefined) return FAILURES.not_found;
    return user.uid === 0 || entry.user.uid === user.uid ? undefined : FAILURES.not_permitted;
  }
  const ending = signal === "KILL" || signal === "INT" || signal === "HUP" ? signal : "TERM";
  return FAILURES[processes.kill(pid, ending, user)];
}

function reportError(invocation: Invocation, message: string): void {
  invocation.hasComplained = true;
  invocation.say(`bash: line 1: kill: ${message}\n`);
}

async function listSignals(invocation: Invocation, operands: readonly string[]): Promise<void> {
  const lines = SIGNALS.map((name, index) => `${String(index).padStart(2)}) SIG${name}\n`).slice(1);
  if (operands.length === 0) await invocation.print(lines.join(""));
  for (const operand of operands) {
    const isNumber = /^\d+$/.test(operand);
    // The exit code of a killed program is 128 more than the signal's number.
    const name = signalName(isNumber ? String(Number(operand) % 128) : operand);
    if (name === undefined) reportError(invocation, `${operand}: invalid signal specification`);
    else await invocation.print(`${isNumber ? name : SIGNALS.indexOf(name)}\n`);
  }
}

export const kill: MachineCommand = {
  name: "kill",
  usage: USAGE,
  async run(invocation) {
    const { args } = invocation;
    const [first = "", second = ""] = args;
    if (first === "-l" || first === "-L") {
      await listSignals(invocation, args.slice(1));
      return undefined;
    }
    const hasValue = first === "-s" || first === "-n";
    const isSignal = /^-[^-]/.test(first);
    const signal = hasValue ? second : isSignal ? first.slice(1) : "TERM";
    const targets = args.slice(hasValue ? 2 : isSignal ? 1 : 0).filter((target) => target !== "--");
    if (targets.length === 0) {
      invocation.say(`kill: usage: ${USAGE}\n`);
      return 2;
    }
    const name = signalName(signal);
    if (name === undefined) {
      reportError(invocation, `${signal}: invalid signal specification`);
      return 1;
    }
    const failures = targets.map((target) => {
      if (!/^-?\d+$/.test(target)) return `${target}: arguments must be process or job IDs`;
      // A negative number names a process group, which has the number of its first process.
      const failure = sendSignal(invocation, Math.abs(Number(target)), name);
      return failure && `(${target}) - ${failure}`;
    });
    for (const failure of failures) if (failure !== undefined) reportError(invocation, failure);
    return failures.includes(undefined) ? 0 : 1;
  },
};

const CRITERIA = "f,full x,exact i,ignore-case v,inverse n,newest o,oldest u,euid= U,uid= P,parent=";

/** The numbers of the lines that match. The shell's grep takes linear time: no pattern holds up others. */
async function grep(invocation: Invocation, args: string[], lines: readonly string[]): Promise<Set<number>> {
  let stdout = "";
  const exitCode = await invocation.environment.run(["grep", "-n", ...args], invocation.context, {
    input: new TextEncoder().encode(lines.map((line) => `${line.replaceAll("\n", " ")}\n`).join("")),
    stdout: async (bytes) => {
      stdout += new TextDecoder().decode(bytes);
    },
    stderr: async () => {},
  });
  if (exitCode > 1) throw new UsageError("invalid pattern", { hint: false });
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
    const flags = ["x", "i", "v"].flatMap((key) => (options.has(key) ? [`-${key}`] : []));
    const lines = found.map((process) => (options.has("f") ? process.command : programOf(process)));
    const matching = await grep(invocation, [...flags, "-E", "-e", pattern], lines);
    found = found.filter((_, index) => matching.has(index));
  }
  if (options.has("n")) return found.slice(-1);
  return options.has("o") ? found.slice(0, 1) : found;
}

export const pgrep: MachineCommand = {
  name: "pgrep",
  usage: "pgrep [options] <pattern>",
  usageExitCode: 2,
  async run(invocation) {
    const options = invocation.options(`${CRITERIA} l,list-name a,list-full c,count d,delimiter=`);
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
    // A signal looks like options: `pkill -9`, `pkill -KILL`.
    const short = invocation.args.find((arg) => /^-([A-Z0-9]{2,}|\d)$/.test(arg) && signalName(arg.slice(1)));
    const args = invocation.args.filter((arg) => arg !== short);
    const options = invocation.options(`${CRITERIA} ,signal=`, { args });
    const signal = short?.slice(1) ?? options.value("signal") ?? "TERM";
    const name = signalName(signal);
    if (name === undefined) throw new UsageError(`Unknown signal "${signal}".`, { hint: false });
    const found = await findProcesses(invocation, options);
    for (const process of found) {
      const failure = sendSignal(invocation, process.pid, name);
      if (failure !== undefined) invocation.complain(`killing pid ${process.pid} failed: ${failure}`);
    }
    return found.length > 0 ? 0 : 1;
  },
};
