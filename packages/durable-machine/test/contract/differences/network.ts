import type { KnownDifference } from "../known-difference.ts";

export const NETWORK: readonly KnownDifference[] = [];
