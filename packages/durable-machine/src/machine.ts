import type { FileSystem } from "./file-system/file-system.ts";
import type { User } from "./users.ts";

export type Signal = "TERM" | "KILL" | "INT" | "HUP";

export type OutputStream = "stdout" | "stderr";

/** A program to run, looked up and allowed. */
export interface ProcessRequest {
  /** The program and what it is given: the first is a path or a name of PATH. */
  argv: [string, ...string[]];
  /** Absolute. */
  directory: string;
  /** What it finds in its environment beside the machine's own variables, which these override. */
  environment: Record<string, string>;
  user: User;
  /** Whether input will be written to it; without, its standard input is empty. */
  takesInput: boolean;
}

export interface ProcessListeners {
  /** Told of output as it is written. Bytes exact. May ask the process to wait with more. */
  onOutput: (stream: OutputStream, bytes: Uint8Array) => void | Promise<void>;
}

/** How a process ended: with a code of its own, by a signal, or at a limit of the machine's, which `reason` says. */
export type ProcessEnd =
  | { by: "exit"; code: number }
  | { by: "signal"; signal: Signal }
  | { by: "limit"; code: number; reason: string };

export interface MachineProcess {
  readonly pid: number;
  /** Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** @returns whether the process still takes input. */
  write(bytes: Uint8Array): boolean;
  closeInput(): void;
  /** Ends it and what it has started. TERM, INT and HUP let its traps run; KILL does not. */
  kill(signal: Signal): void;
}

export type StartErrorCode = "command_not_found" | "command_not_executable" | "no_such_directory";

/** The program cannot be started: there is none, it may not be run, or its directory is missing. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly code: StartErrorCode;

  constructor(message: string, code: StartErrorCode, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * What stands behind a session beside its browser: files and processes. The one that Berth carries simulates them;
 * a container could take its place.
 */
export interface Machine {
  readonly files: FileSystem;
  /** @throws StartError */
  start(request: ProcessRequest, listeners: ProcessListeners): MachineProcess;
  /** Processes that run now. */
  list(): { pid: number; parentPid: number; user: User; command: string; startedAt: number }[];
  /** Kills a process by its number. @returns whether there was one that `sender` may kill. */
  kill(pid: number, signal: Signal, sender: User): "killed" | "not_found" | "not_permitted";
}
