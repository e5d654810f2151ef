import type { ExecResult } from "just-bash/browser";
import { toByteString } from "./byte-strings.ts";

/** Waits while the reader is behind. @throws Error when the process is dead or over a limit. */
export type Write = (bytes: Uint8Array) => Promise<void>;

export interface ByteOutput {
  write(bytes: Uint8Array): Promise<void>;
  /** What the command returns to the shell, with the output that was kept. */
  result(exitCode: number, stderr?: string): ExecResult;
}

/** Output that leaves as it is written. */
export function directOutput(write: Write): ByteOutput {
  return {
    write,
    result: (exitCode, stderr = "") => ({ stdout: "", stderr, exitCode, stdoutKind: "bytes" }),
  };
}

/** Output that is kept for a pipe, a substitution or a redirection. */
export class KeptOutput implements ByteOutput {
  readonly #limit: number;
  #text = "";

  constructor(limit: number) {
    this.#limit = limit;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#text.length + bytes.length > this.#limit) {
      const reason = `output larger than ${this.#limit} bytes in a pipe or substitution`;
      throw new Error(`${reason}: limit of this machine`);
    }
    this.#text += toByteString(bytes);
  }

  result(exitCode: number, stderr = ""): ExecResult {
    return { stdout: this.#text, stderr, exitCode, stdoutKind: "bytes" };
  }
}
