import type { User } from "../users.ts";

export type Signal = "TERM" | "KILL" | "INT" | "HUP";

export type OutputStream = "stdout" | "stderr";

/** A program to run. */
export interface ProcessRequest {
  /** The program and its arguments: the first is a path, or a name that is looked up in PATH. */
  argv: [string, ...string[]];
  /** Absolute. */
  directory: string;
  /** Variables beside the machine's own, which they override. */
  environment: Record<string, string>;
  user: User;
  /** Whether input will be written to it. If not, its standard input is empty. */
  takesInput: boolean;
}

export interface ProcessListeners {
  /** Called with output as it is written. The process writes no more until a promise that this returns is resolved. */
  onOutput: (stream: OutputStream, bytes: Uint8Array) => void | Promise<void>;
}

/** How a process ended: with its own code, by a signal, or at a limit of the machine, which `reason` explains. */
export type ProcessEnd =
  | { by: "exit"; code: number }
  | { by: "signal"; signal: Signal }
  | { by: "limit"; code: number; reason: string };

/** A process that the shell runs. */
export interface RunningProcess {
  readonly pid: number;
  /** Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** @returns whether the process still takes input. */
  write(bytes: Uint8Array): boolean;
  closeInput(): void;
  /** Ends it and what it has started. Its traps run for TERM, INT and HUP, but not for KILL. */
  kill(signal: Signal): void;
}

export type StartErrorCode =
  | "command_not_found"
  | "command_not_executable"
  | "no_such_directory"
  | "too_many_processes";

/** The process cannot be started. */
export class StartError extends Error {
  override readonly name: string = "StartError";
  readonly code: StartErrorCode;

  constructor(message: string, code: StartErrorCode, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
