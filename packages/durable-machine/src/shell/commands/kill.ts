import type { Invocation, MachineCommand } from "./invocation.ts";
import { effectOf, signalName, signalNames, signalNumber } from "./signals.ts";

const USAGE = "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]";

interface KillRequest {
  /** What stands for the signal on the command line. */
  signal: string;
  targets: readonly string[];
}

const INIT_PID = 1;

/** Reads what is no option but looks like one: `-9`, `-KILL`, `-s KILL`. */
function readRequest(args: readonly string[]): KillRequest {
  const [first = "", second, ...rest] = args;
  if (first === "--") return { signal: "TERM", targets: args.slice(1) };
  if (first === "-s" || first === "-n")
    return { signal: second ?? "", targets: rest[0] === "--" ? rest.slice(1) : rest };
  if (first.startsWith("-") && first.length > 1) {
    const targets = args.slice(1);
    return { signal: first.slice(1), targets: targets[0] === "--" ? targets.slice(1) : targets };
  }
  return { signal: "TERM", targets: args };
}

/** The shell itself has this command, and speaks for it. */
function complain(invocation: Invocation, message: string): void {
  invocation.failSilently();
  invocation.say(`bash: line 1: kill: ${message}\n`);
}

/** Sends a signal to a process. @returns whether it got there. */
export function sendSignal(
  invocation: Invocation,
  pid: number,
  signal: string,
): "sent" | "No such process" | "Operation not permitted" | "Operation not supported on this machine" {
  const { processes, user } = invocation.environment;
  const effect = effectOf(signal);
  // The machine itself: nobody but it ends it.
  if (pid === INIT_PID) return "Operation not permitted";
  if (effect === "unsupported") return "Operation not supported on this machine";
  if (effect === "nothing") {
    const entry = processes.list().find((process) => process.pid === pid);
    if (entry === undefined) return "No such process";
    return user.uid === 0 || entry.user.uid === user.uid ? "sent" : "Operation not permitted";
  }
  const result = processes.kill(pid, effect, user);
  if (result === "killed") return "sent";
  return result === "not_found" ? "No such process" : "Operation not permitted";
}

async function listSignals(invocation: Invocation, operands: readonly string[]): Promise<void> {
  if (operands.length === 0) {
    const cells = signalNames().map((name, index) => `${String(index + 1).padStart(2)}) SIG${name}`);
    for (let start = 0; start < cells.length; start += 5) {
      await invocation.print(`${cells.slice(start, start + 5).join("\t")}\n`);
    }
  }
  for (const operand of operands) {
    // An exit code of a shell tells a signal too.
    const text = /^\d+$/.test(operand) && Number(operand) > 128 ? String(Number(operand) - 128) : operand;
    const name = signalName(text);
    if (name === undefined) complain(invocation, `${operand}: invalid signal specification`);
    else await invocation.print(`${/^\d+$/.test(operand) ? name : signalNumber(name)}\n`);
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
    let sent = 0;
    for (const target of targets) {
      if (!/^-?\d+$/.test(target)) {
        complain(invocation, `${target}: arguments must be process or job IDs`);
        continue;
      }
      // A process is the head of its group, and is killed with all that it has started.
      const result = sendSignal(invocation, Math.abs(Number(target)), name);
      if (result === "sent") sent++;
      else complain(invocation, `(${target}) - ${result}`);
    }
    return sent > 0 ? 0 : 1;
  },
};
