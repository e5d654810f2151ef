import { BrowserUnavailableError, NotSavedError, refusalOf } from "../browser/index.ts";
import type { CapabilityRow } from "../database/schema/capabilities.ts";
import type { ProbeContext } from "./context.ts";

type Details = CapabilityRow["details"];

export interface Finding {
  outcome: CapabilityRow["outcome"];
  /** What was seen, in a few words. */
  seen: string;
  /** Figures and refusals. */
  details?: Details;
}

/** A check throws what the platform throws. */
export type Check = (context: ProbeContext) => Promise<Finding>;

export const holds = (seen: string, details?: Details): Finding => ({ outcome: "holds", seen, details });
export const differs = (seen: string, details?: Details): Finding => ({ outcome: "differs", seen, details });
export const untried = (seen: string): Finding => ({ outcome: "untried", seen });

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The platform differs only if it refused something; a lost connection or a time-out proves nothing. */
export function findingOfError(error: unknown): Finding {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return differs(refusal);
  if (error instanceof NotSavedError) return differs(error.message);
  const cause = error instanceof BrowserUnavailableError ? `: ${textOf(error.cause)}` : "";
  return untried(`the check failed: ${textOf(error)}${cause}`);
}
