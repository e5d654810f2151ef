import type { CommandContext, ExecResult } from "just-bash/browser";
import type { Credentials } from "../users.ts";
import type { ByteInput } from "./byte-input.ts";
import type { ByteOutput } from "./byte-output.ts";
import type { ProcessContext } from "./process-context.ts";

/** What the machine's own commands know of the process that they run in, and what they work on. */
export interface CommandEnvironment extends Omit<ProcessContext, "registry"> {
  readonly credentials: Credentials;
  /** Of the process that runs the command: also its jobs' and its nested shells'. */
  readonly pid: number;
  /** Aborted when the process dies. Work that waits ends with it; files and output refuse everything afterwards. */
  readonly signal: AbortSignal;

  /** A command's standard input: the process's own as it comes, or the bytes of a pipe or redirection. */
  input(context: CommandContext): ByteInput;
  /**
   * A command's standard output. Where nothing stands between the command and the process's own output, each write
   * leaves at once; else it is kept for the pipe, the substitution or the redirection that takes it.
   */
  output(context: CommandContext): ByteOutput;

  /** Notes that this output, kept for a pipe, is the beginning of output that never ends. */
  keepEndless(output: EndlessOutput): void;

  /**
   * Runs a program as a process of its own, in the command's directory, and hands on what it writes byte by byte.
   *
   * @returns its exit code: 127 where there is none of that name, 126 where it may not be run.
   */
  run(argv: readonly [string, ...string[]], context: CommandContext, options: RunOptions): Promise<number>;
}

/** The beginning of output that never ends, such as that of `yes`. */
export interface EndlessOutput {
  text: string;
  /** Whether the same bytes follow again; else a reader that wants more fails. */
  repeats: boolean;
}

export interface RunOptions {
  stdout: (bytes: Uint8Array) => Promise<void>;
  stderr: (bytes: Uint8Array) => Promise<void>;
  environment?: Record<string, string>;
  /** "inherited": what the command would read; else these bytes. Default: nothing. */
  input?: "inherited" | Uint8Array;
  /** Kills it when aborted. Default: the command's own. */
  signal?: AbortSignal;
}

/** What a command answers when it is done: its exit code, and what it has to say on its standard error. */
export type CommandResult = ExecResult;
