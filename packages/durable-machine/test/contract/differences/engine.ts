import type { KnownDifference } from "../known-difference.ts";

export const ENGINE: readonly KnownDifference[] = [];
