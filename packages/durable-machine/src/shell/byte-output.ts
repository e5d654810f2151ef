import type { ExecResult } from "just-bash/browser";
import { toByteString } from "./byte-strings.ts";

/** A command's standard output. */
export interface ByteOutput {
  /** Waits while the reader is behind. @throws Error when the process is dead or over a limit. */
  write(bytes: Uint8Array): Promise<void>;
  /** What the command returns to the shell: all that was kept. */
  result(exitCode: number, stderr?: string): ExecResult;
}

export type Write = (bytes: Uint8Array) => Promise<void>;

/** Output that leaves as it is written. */
export function directOutput(write: Write): ByteOutput {
  return {
    write,
    result: (exitCode, stderr = "") => ({ stdout: "", stderr, exitCode, stdoutKind: "bytes" }),
  };
}

/** Output that is kept for what takes it from the shell: a pipe, a substitution, a redirection. */
export class KeptOutput implements ByteOutput {
  readonly #limit: number;
  #pieces: string[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#length += bytes.length;
    if (this.#length > this.#limit) {
      throw new Error(
        `output larger than ${this.#limit} bytes in a pipe or substitution: limit of this machine`,
      );
    }
    this.#pieces.push(toByteString(bytes));
  }

  result(exitCode: number, stderr = ""): ExecResult {
    const stdout = this.#pieces.join("");
    this.#pieces = [];
    return { stdout, stderr, exitCode, stdoutKind: "bytes" };
  }
}
