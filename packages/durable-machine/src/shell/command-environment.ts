import type { CommandContext, ExecResult } from "just-bash/browser";
import type { Credentials } from "../users.ts";
import type { ByteInput } from "./byte-input.ts";
import type { ByteOutput, Write } from "./byte-output.ts";
import type { ProcessContext } from "./process-context.ts";

export interface CommandEnvironment extends Omit<ProcessContext, "registry"> {
  readonly credentials: Credentials;
  readonly pid: number;
  /** Aborted when the process dies. Files and output refuse everything afterwards. */
  readonly signal: AbortSignal;
  input(context: CommandContext): ByteInput;
  output(context: CommandContext): ByteOutput;
  keepEndless(output: EndlessOutput): void;
  /** @returns its exit code: 127 where there is no program of that name, 126 where it may not be run. */
  run(argv: readonly [string, ...string[]], context: CommandContext, options: RunOptions): Promise<number>;
}

/** The beginning of output that never ends, such as the output of `yes`. */
export interface EndlessOutput {
  text: string;
  /** Whether the same bytes follow again. If not, a reader that wants more fails. */
  repeats: boolean;
}

export interface RunOptions {
  stdout: Write;
  stderr: Write;
  environment?: Record<string, string>;
  /** "inherited": what the command would read. Default: nothing. */
  input?: "inherited" | Uint8Array;
  signal?: AbortSignal;
}

export type CommandResult = ExecResult;
