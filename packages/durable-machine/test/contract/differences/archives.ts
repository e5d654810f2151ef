import type { KnownDifference } from "../known-difference.ts";

export const ARCHIVES: readonly KnownDifference[] = [];
