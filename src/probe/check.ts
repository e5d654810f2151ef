import { BrowserUnavailableError, NotSavedError, refusalOf } from "../browser/index.ts";
import type { CheckName } from "../capabilities/index.ts";
import type { OUTCOMES } from "../database/schema/capabilities.ts";
import type { ProbeContext } from "./context.ts";

export interface Finding {
  outcome: (typeof OUTCOMES)[number];
  /** What was seen, in a few words. */
  seen: string;
  /** Figures and refusals. */
  details?: Record<string, string | number>;
}

export interface Check {
  name: CheckName;
  limitMs: number;
  /** Runs for minutes in the background, and only on request. */
  isLong?: boolean;
  /** Whether the object's restart is what the check looks for, rather than a disturbance. */
  looksForRestart?: boolean;
  run(context: ProbeContext): Promise<Finding>;
}

export const holds = (seen: string, details?: Finding["details"]): Finding => ({
  outcome: "holds",
  seen,
  details,
});
export const differs = (seen: string, details?: Finding["details"]): Finding => ({
  outcome: "differs",
  seen,
  details,
});
export const untried = (seen: string): Finding => ({ outcome: "untried", seen });

/** The platform differs only if it refused something; a lost connection or a time-out proves nothing. */
export function findingOfError(error: unknown): Finding {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return differs(refusal);
  if (error instanceof NotSavedError) return differs(error.message);
  if (error instanceof BrowserUnavailableError) {
    const { cause } = error;
    return untried(`${error.message}${cause instanceof Error ? `: ${cause.message}` : ""}`);
  }
  return untried(`the check failed: ${error instanceof Error ? error.message : String(error)}`);
}

export function findingOfRestart({ looksForRestart }: Check, ranMs: number): Finding {
  const seen = `the object was restarted within ${Math.ceil(ranMs / 1000)} s`;
  return looksForRestart ? differs(seen) : untried(seen);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
