import { inject } from "vitest";

/** The size of a long test, by lane: files that call this also run in the exhaustive lane. */
export function sizeOfLane(normal: number, exhaustive: number): number {
  return inject("exhaustive") ? exhaustive : normal;
}
