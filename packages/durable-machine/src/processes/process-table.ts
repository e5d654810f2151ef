import { ROOT_USER, type User } from "../users.ts";
import { type Signal, StartError } from "./process.ts";

export interface ProcessEntry {
  pid: number;
  parentPid: number;
  user: User;
  command: string;
  /** In milliseconds since the epoch. */
  startedAt: number;
}

/** Scripts assume that lower ids are system processes. */
const FIRST_PID = 100;

export class ProcessTable {
  readonly #running = new Map<number, ProcessEntry & { kill: (signal: Signal) => void }>();
  readonly #maxProcesses: number;
  #nextPid = FIRST_PID;

  constructor(maxProcesses: number) {
    this.#maxProcesses = maxProcesses;
  }

  /** @throws StartError */
  add(process: Omit<ProcessEntry, "pid">, kill: (signal: Signal) => void): number {
    if (this.#running.size >= this.#maxProcesses) {
      throw new StartError("fork: Resource temporarily unavailable", "too_many_processes");
    }
    const pid = this.#nextPid++;
    this.#running.set(pid, { ...process, pid, kill });
    return pid;
  }

  remove(pid: number): void {
    this.#running.delete(pid);
  }

  list(): ProcessEntry[] {
    return [...this.#running.values()].map(({ kill, ...entry }) => entry);
  }

  kill(pid: number, signal: Signal, sender: { uid: number }): "killed" | "not_found" | "not_permitted" {
    const process = this.#running.get(pid);
    if (!process) return "not_found";
    if (sender.uid !== ROOT_USER.uid && sender.uid !== process.user.uid) return "not_permitted";
    process.kill(signal);
    return "killed";
  }
}
