import type { BashOptions } from "just-bash/browser";

export interface ShellLimits {
  /** What a process and its jobs may write to their standard output and error. */
  outputBytes: number;
  processes: number;
  textBytes: number;
  stringBytes: number;
  pipeBytes: number;
  inputBytes: number;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

export const DEFAULT_SHELL_LIMITS: ShellLimits = {
  outputBytes: 16 * MEBIBYTE,
  processes: 64,
  textBytes: 4 * MEBIBYTE,
  stringBytes: 4 * MEBIBYTE,
  pipeBytes: 32 * MEBIBYTE,
  inputBytes: 8 * MEBIBYTE,
};

/** The interpreter's own limits. Loops and commands are unlimited: processes that run too long are killed. */
export function executionLimits(limits: ShellLimits): NonNullable<BashOptions["executionLimits"]> {
  const { stringBytes, pipeBytes } = limits;
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
    maxExecutionTimeMs: Number.POSITIVE_INFINITY,
    maxExtensionCleanupTimeMs: 0,
  };
}

export interface ReadLimit {
  bytes: number;
  /** Whether it applies to each file instead of all files together. */
  isPerFile: boolean;
}

/**
 * What the bundled text tools may read. They hold their input whole and do not pause, so the limits keep each
 * run at about a tenth of a second, or half a second where scripts expect more.
 */
const READ_LIMITS: readonly [names: string, ReadLimit][] = [
  ["awk", { bytes: 2 * MEBIBYTE, isPerFile: false }],
  ["column comm expand fold jq nl rev strings unexpand", { bytes: MEBIBYTE, isPerFile: false }],
  ["grep", { bytes: 192 * KIBIBYTE, isPerFile: true }],
  ["rg", { bytes: MEBIBYTE, isPerFile: true }],
  ["sed", { bytes: 192 * KIBIBYTE, isPerFile: false }],
  ["split", { bytes: 4 * MEBIBYTE, isPerFile: false }],
];

export function readLimitOf(command: string): ReadLimit | undefined {
  return READ_LIMITS.find(([names]) => names.split(" ").includes(command))?.[1];
}

/** Statements of a tool with a language of its own take 3 to 8 µs each. */
const MAX_STATEMENTS = 100_000;
const MAX_COMPUTATION_MS = 500;

/** Bounds what awk, sed and jq compute without a pause. Only their statements' statistics can stop them. */
export class WorkBudget {
  #startedAt = performance.now();
  #statements = 0;

  renew(): void {
    this.#startedAt = performance.now();
    this.#statements = 0;
  }

  hit(feature: string): void {
    if (!/^(?:awk|sed|jq):/.test(feature)) return;
    this.#statements++;
    if (this.#statements > MAX_STATEMENTS) {
      throw new Error(`more than ${MAX_STATEMENTS} steps: limit of this machine`);
    }
    // On the platform, clocks stand still while code runs, so statements are counted as well.
    if (performance.now() - this.#startedAt > MAX_COMPUTATION_MS) {
      throw new Error(`computing for more than ${MAX_COMPUTATION_MS} ms: limit of this machine`);
    }
  }
}
