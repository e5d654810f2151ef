import type { Aspect } from "./outcome.ts";

/** A way in which the machine is known not to be a Linux: the cases that show it, and by what. */
export interface KnownDifference {
  reason: string;
  /** By the names of the cases. */
  cases: Record<string, readonly Aspect[]>;
}
