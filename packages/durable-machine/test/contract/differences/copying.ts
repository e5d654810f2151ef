import type { KnownDifference } from "../known-difference.ts";

export const COPYING: readonly KnownDifference[] = [];
