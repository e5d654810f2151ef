import type { CapabilityRow } from "../../lib/database/schema/capabilities.ts";
import { BrowserUnavailableError, NotSavedError, refusalOf } from "../../platform/browser/index.ts";
import type { CheckName } from "../../platform/capabilities/index.ts";
import type { ProbeContext } from "./context.ts";

/** `seen` says what was seen, in a few words; `details` has figures and refusals. */
export type Finding = Pick<CapabilityRow, "outcome" | "seen"> & Partial<Pick<CapabilityRow, "details">>;

/** A check throws what the platform throws. */
export type Check = (context: ProbeContext) => Promise<Finding>;

export type Checks = Partial<Record<CheckName, Check>>;

type Details = Finding["details"];
export const holds = (seen: string, details?: Details): Finding => ({ outcome: "holds", seen, details });
export const differs = (seen: string, details?: Details): Finding => ({ outcome: "differs", seen, details });
export const untried = (seen: string): Finding => ({ outcome: "untried", seen });

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The platform differs only if it refused something; a lost connection or a time-out proves nothing. */
export function findingOfError(error: unknown): Finding {
  const refusal = error instanceof NotSavedError ? error.message : refusalOf(error);
  if (refusal !== undefined) return differs(refusal);
  const cause = error instanceof BrowserUnavailableError ? `: ${textOf(error.cause)}` : "";
  return untried(`the check failed: ${textOf(error)}${cause}`);
}

/** Restarts that a check looks for, by the platform's reason. Others, as by a deployment, prove nothing. */
const RESTARTS = new Map<string, RegExp>([
  ["large_profile", /memory limit/],
  ["object_lifetime", /(?:)/],
]);

/** @param reason why the object was restarted; empty if unknown. */
export function judgeRestart(name: string, afterMs: number, reason: string): Finding {
  const seen = `the object was restarted within ${Math.ceil(afterMs / 1000)} s`;
  const judge = RESTARTS.get(name)?.test(reason) ? differs : untried;
  return judge(reason === "" ? seen : `${seen}: ${reason}`);
}
