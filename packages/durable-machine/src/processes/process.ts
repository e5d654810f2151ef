import type { User } from "../users.ts";

export type Signal = "TERM" | "KILL" | "INT" | "HUP";

export type OutputStream = "stdout" | "stderr";

export interface ProcessRequest {
  /** The program and its arguments. The program is a path, or a name that is looked up in PATH. */
  argv: [string, ...string[]];
  /** Absolute. */
  directory: string;
  /** Overrides the machine's own variables. */
  environment: Record<string, string>;
  user: User;
  takesInput: boolean;
  /** Runs it in a new terminal of this size, whose output is all stdout. */
  terminal?: TerminalSize;
}

export interface TerminalSize {
  rows: number;
  columns: number;
}

export interface ProcessListeners {
  /** The process writes nothing more until a returned promise is resolved. */
  onOutput: (stream: OutputStream, bytes: Uint8Array) => void | Promise<void>;
}

export type ProcessEnd =
  | { by: "exit"; code: number }
  | { by: "signal"; signal: Signal }
  | { by: "limit"; code: number; reason: string };

export type StartErrorCode =
  | "command_not_found"
  | "command_not_executable"
  | "no_such_directory"
  | "too_many_processes"
  | "user_unavailable";

export class StartError extends Error {
  override readonly name: string = "StartError";
  readonly code: StartErrorCode;

  constructor(message: string, code: StartErrorCode, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Machines outside of this package throw errors of a class of their own. */
export function isStartError(error: unknown): error is StartError {
  return error instanceof Error && error.name === "StartError" && "code" in error;
}
