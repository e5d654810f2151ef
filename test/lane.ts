import { inject } from "vitest";

/** One of two sizes of a test that takes long: files named `*.scaled.test.ts` run in the exhaustive lane, too. */
export function sizeOfLane(usual: number, exhaustive: number): number {
  return inject("exhaustive") ? exhaustive : usual;
}
