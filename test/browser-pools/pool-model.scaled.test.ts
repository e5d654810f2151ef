import fc from "fast-check";
import { afterEach, describe, it, vi } from "vitest";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";
import { sizeOfLane } from "../lane.ts";
import { beginnings, endPool, newPool, poolCommands } from "./pool-model.ts";

const RUNS = sizeOfLane(4, 40);

/** How long a shorter way to a failure is looked for. What runs then still comes to its end, with the fake browsers. */
const MAX_DELAY_MS = 90_000;

const browsers = useFakeBrowsers();

afterEach(() => {
  vi.useRealTimers();
});

describe("a pool and what callers know of it", () => {
  it(
    "are the same whatever happens, and each browser is one caller's, or waits, or is gone",
    async () => {
      await fc.assert(
        fc.asyncProperty(beginnings, poolCommands, async ({ size, leased }, commands) => {
          const { model, real } = await newPool(browsers, size, leased);
          await fc.asyncModelRun(() => ({ model, real }), commands);
          await endPool(model, real);
        }),
        { numRuns: RUNS, skipAllAfterTimeLimit: MAX_DELAY_MS },
      );
    },
    MAX_DELAY_MS + 30_000,
  );
});
