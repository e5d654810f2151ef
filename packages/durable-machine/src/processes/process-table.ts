import { ROOT_USER, type User } from "../users.ts";
import { type Signal, StartError } from "./process.ts";

/** A process as `ps` shows it. */
export interface ProcessEntry {
  pid: number;
  parentPid: number;
  user: User;
  /** Its program and arguments, separated by spaces. */
  command: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/** There are as many processes as the machine may have. */
export class TooManyProcessesError extends StartError {
  override readonly name = "TooManyProcessesError";

  constructor() {
    super("fork: Resource temporarily unavailable", "too_many_processes");
  }
}

/** The lower numbers are those of a booted system's own processes, which scripts take for something special. */
const FIRST_PID = 100;

/** The machine's processes: gives them their numbers, knows who may signal whom, and bounds how many there are. */
export class ProcessTable {
  readonly #running = new Map<number, ProcessEntry & { kill: (signal: Signal) => void }>();
  readonly #mostProcesses: number;
  #nextPid = FIRST_PID;

  constructor(mostProcesses: number) {
    this.#mostProcesses = mostProcesses;
  }

  /**
   * Gives a new process its number.
   *
   * @param kill ends the process with a signal; called only while it is in the table.
   * @throws TooManyProcessesError
   */
  add(process: Omit<ProcessEntry, "pid">, kill: (signal: Signal) => void): number {
    if (this.#running.size >= this.#mostProcesses) throw new TooManyProcessesError();
    const pid = this.#nextPid++;
    this.#running.set(pid, { ...process, pid, kill });
    return pid;
  }

  /** The process has ended. */
  remove(pid: number): void {
    this.#running.delete(pid);
  }

  /** By their numbers. */
  list(): ProcessEntry[] {
    return [...this.#running.values()].map(({ kill: _, ...entry }) => entry);
  }

  /** Everybody may signal their own processes, and root all. */
  kill(pid: number, signal: Signal, sender: { uid: number }): "killed" | "not_found" | "not_permitted" {
    const process = this.#running.get(pid);
    if (!process) return "not_found";
    if (sender.uid !== ROOT_USER.uid && sender.uid !== process.user.uid) return "not_permitted";
    process.kill(signal);
    return "killed";
  }
}
