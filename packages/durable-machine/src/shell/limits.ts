import type { BashOptions } from "just-bash/browser";

/** What bounds a process, so that no script takes the machine, or the isolate it shares, down. */
export interface ShellLimits {
  /** Bytes that a process and its jobs may write to their standard output and error. */
  outputBytes: number;
  /** Processes and jobs that a machine runs at the same time. */
  processes: number;
  /** Bytes that a text tool holds at once: all of its input for `sort` or `tac`, a line for others. */
  textBytes: number;
  /** Bytes in a variable, a substitution, a here-document. */
  stringBytes: number;
  /** Bytes on their way from one command to the next, and of a file that the shell reads whole. */
  pipeBytes: number;
  inputBytes: number;
}

const MEBIBYTE = 1024 * 1024;

export const DEFAULT_SHELL_LIMITS: ShellLimits = {
  outputBytes: 16 * MEBIBYTE,
  processes: 64,
  textBytes: 4 * MEBIBYTE,
  stringBytes: 4 * MEBIBYTE,
  pipeBytes: 32 * MEBIBYTE,
  inputBytes: 8 * MEBIBYTE,
};

/** The interpreter's own limits. How long a script may loop is no matter of counts: it is killed in time. */
export function executionLimits({
  stringBytes,
  pipeBytes,
}: ShellLimits): NonNullable<BashOptions["executionLimits"]> {
  return {
    maxSourceBytes: 2 * MEBIBYTE,
    maxExecDepth: 32,
    maxCallDepth: 400,
    maxCommandCount: Number.POSITIVE_INFINITY,
    maxLoopIterations: Number.POSITIVE_INFINITY,
    maxWorkUnits: Number.POSITIVE_INFINITY,
    maxAwkIterations: 1_000_000,
    maxSedIterations: 1_000_000,
    maxJqIterations: 1_000_000,
    maxStringLength: stringBytes,
    maxHeredocSize: stringBytes,
    maxLiveBytes: 6 * pipeBytes,
    maxInputBytes: 2 ** 40,
    maxArchiveBytes: 2 * pipeBytes,
    maxArchiveEntryBytes: 2 * pipeBytes,
    maxOutputSize: 4 * pipeBytes,
    maxArrayElements: 100_000,
    maxBraceExpansionResults: 100_000,
    maxGlobOperations: 1_000_000,
    maxExecutionTimeMs: Number.POSITIVE_INFINITY,
    maxExtensionCleanupTimeMs: 0,
  };
}
