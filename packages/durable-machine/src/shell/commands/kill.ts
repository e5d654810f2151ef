import type { Invocation, MachineCommand } from "./invocation.ts";

const USAGE = "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]";

/** Names by their numbers on Linux. */
const SIGNALS = [
  "EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP",
  "TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS",
].flatMap((line) => line.split(" "));

const IGNORED_SIGNALS = ["EXIT", "CHLD", "CONT", "URG", "WINCH"];
const STOPPING_SIGNALS = ["STOP", "TSTP", "TTIN", "TTOU"];

const INIT_PID = 1;
const SIGNALS_PER_LINE = 5;

/** A signal's name without `SIG`, by its name or number. */
export function signalName(text: string): string | undefined {
  if (/^\d+$/.test(text)) return SIGNALS[Number(text)];
  const name = text.toUpperCase().replace(/^SIG/, "");
  return SIGNALS.includes(name) ? name : undefined;
}

/** Sends a signal to a process. @returns why that failed. */
export function sendSignal(invocation: Invocation, pid: number, signal: string): string | undefined {
  const { processes, user } = invocation.environment;
  if (pid === INIT_PID) return "Operation not permitted";
  if (STOPPING_SIGNALS.includes(signal)) return "Operation not supported on this machine";
  if (IGNORED_SIGNALS.includes(signal)) {
    const entry = processes.list().find((process) => process.pid === pid);
    if (entry === undefined) return "No such process";
    return user.uid === 0 || entry.user.uid === user.uid ? undefined : "Operation not permitted";
  }
  const ending = signal === "KILL" || signal === "INT" || signal === "HUP" ? signal : "TERM";
  const result = processes.kill(pid, ending, user);
  if (result === "killed") return undefined;
  return result === "not_found" ? "No such process" : "Operation not permitted";
}

/** Reports an error as the shell, which has this command built in. */
function reportError(invocation: Invocation, message: string): void {
  invocation.failSilently();
  invocation.say(`bash: line 1: kill: ${message}\n`);
}

async function listSignals(invocation: Invocation, operands: readonly string[]): Promise<void> {
  const cells = SIGNALS.map((name, index) => `${String(index).padStart(2)}) SIG${name}`).slice(1);
  while (operands.length === 0 && cells.length > 0) {
    await invocation.print(`${cells.splice(0, SIGNALS_PER_LINE).join("\t")}\n`);
  }
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
