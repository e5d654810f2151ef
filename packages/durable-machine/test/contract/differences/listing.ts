import type { KnownDifference } from "../known-difference.ts";

export const LISTING: readonly KnownDifference[] = [];
