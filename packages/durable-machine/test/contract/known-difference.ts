import type { Aspect } from "./outcome.ts";

export interface KnownDifference {
  reason: string;
  cases: Record<string, readonly Aspect[]>;
}
