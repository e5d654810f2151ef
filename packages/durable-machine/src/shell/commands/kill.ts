import type { Invocation, MachineCommand } from "./invocation.ts";
import { effectOf, SIGNALS, signalName } from "./signals.ts";

const USAGE = "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]";

const INIT_PID = 1;
const SIGNALS_PER_LINE = 5;

/** Reads what is no option but looks like one: `-9`, `-KILL`, `-s KILL`. */
function readRequest(args: readonly string[]): { signal: string; targets: string[] } {
  const [first = "", second = ""] = args;
  const hasValue = first === "-s" || first === "-n";
  const isSignal = /^-./.test(first) && first !== "--";
  const targets = args.slice(hasValue ? 2 : isSignal ? 1 : 0);
  if (targets[0] === "--") targets.shift();
  return { signal: hasValue ? second : isSignal ? first.slice(1) : "TERM", targets };
}

/** The shell itself has this command, and speaks for it. */
function complain(invocation: Invocation, message: string): void {
  invocation.failSilently();
  invocation.say(`bash: line 1: kill: ${message}\n`);
}

/** Sends a signal to a process. @returns why it did not get there. */
export function sendSignal(invocation: Invocation, pid: number, signal: string): string | undefined {
  const { processes, user } = invocation.environment;
  const effect = effectOf(signal);
  // The machine itself: nobody but it ends it.
  if (pid === INIT_PID) return "Operation not permitted";
  if (effect === "unsupported") return "Operation not supported on this machine";
  if (effect === "nothing") {
    const entry = processes.list().find((process) => process.pid === pid);
    if (entry === undefined) return "No such process";
    return user.uid === 0 || entry.user.uid === user.uid ? undefined : "Operation not permitted";
  }
  const result = processes.kill(pid, effect, user);
  if (result === "killed") return undefined;
  return result === "not_found" ? "No such process" : "Operation not permitted";
}

async function listSignals(invocation: Invocation, operands: readonly string[]): Promise<void> {
  const cells = SIGNALS.map((name, index) => `${String(index).padStart(2)}) SIG${name}`).slice(1);
  while (operands.length === 0 && cells.length > 0) {
    await invocation.print(`${cells.splice(0, SIGNALS_PER_LINE).join("\t")}\n`);
  }
  for (const operand of operands) {
    const isNumber = /^\d+$/.test(operand);
    // An exit code of a shell tells a signal too.
    const name = signalName(isNumber && Number(operand) > 128 ? String(Number(operand) - 128) : operand);
    if (name === undefined) complain(invocation, `${operand}: invalid signal specification`);
    else await invocation.print(`${isNumber ? name : SIGNALS.indexOf(name)}\n`);
  }
}

export const kill: MachineCommand = {
  name: "kill",
  usage: USAGE,
  async run(invocation) {
    const { args } = invocation;
    if (args[0] === "-l" || args[0] === "-L") {
      await listSignals(invocation, args.slice(1));
      return invocation.hasComplained ? 1 : 0;
    }
    const { signal, targets } = readRequest(args);
    if (targets.length === 0) {
      invocation.say(`kill: usage: ${USAGE}\n`);
      return 2;
    }
    const name = signalName(signal);
    if (name === undefined) {
      complain(invocation, `${signal}: invalid signal specification`);
      return 1;
    }
    const failures = targets.map((target) => {
      if (!/^-?\d+$/.test(target)) return `${target}: arguments must be process or job IDs`;
      // A process is the head of its group, and is killed with all that it has started.
      const failure = sendSignal(invocation, Math.abs(Number(target)), name);
      return failure && `(${target}) - ${failure}`;
    });
    for (const failure of failures) if (failure !== undefined) complain(invocation, failure);
    return failures.includes(undefined) ? 0 : 1;
  },
};
