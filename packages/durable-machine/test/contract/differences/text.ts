import type { KnownDifference } from "../known-difference.ts";

export const TEXT: readonly KnownDifference[] = [];
