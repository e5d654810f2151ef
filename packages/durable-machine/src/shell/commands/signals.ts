import type { Signal } from "../../processes/process.ts";

/** Names of signals without `SIG`, by their numbers on Linux. */
export const SIGNALS: readonly string[] = [
  "EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP",
  "TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS",
].flatMap((line) => line.split(" "));

/** Signals that do nothing to a process which does not ask for them. */
const IGNORED = ["EXIT", "CHLD", "CONT", "URG", "WINCH"];

/** Signals that stop a process, which the machine cannot. */
const STOPPING = ["STOP", "TSTP", "TTIN", "TTOU"];

/** A signal's name without `SIG`, by its name or number; undefined: there is none. */
export function signalName(text: string): string | undefined {
  if (/^\d+$/.test(text)) return SIGNALS[Number(text)];
  const name = text.toUpperCase().replace(/^SIG/, "");
  return SIGNALS.includes(name) ? name : undefined;
}

/** What a signal does here: ends the process by one of those that the machine has, nothing, or what it cannot. */
export function effectOf(name: string): Signal | "nothing" | "unsupported" {
  if (name === "TERM" || name === "KILL" || name === "INT" || name === "HUP") return name;
  if (IGNORED.includes(name)) return "nothing";
  // Whatever else a process does not ask for ends it.
  return STOPPING.includes(name) ? "unsupported" : "TERM";
}
