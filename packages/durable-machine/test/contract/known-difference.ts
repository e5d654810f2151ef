import type { Aspect } from "./outcome.ts";

/** A known difference from Linux, with the cases and aspects that show it. */
export interface KnownDifference {
  reason: string;
  /** By case name. */
  cases: Record<string, readonly Aspect[]>;
}
