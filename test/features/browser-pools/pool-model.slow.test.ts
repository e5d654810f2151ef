import fc from "fast-check";
import { describe, it } from "vitest";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { sizeOfLane } from "../../lane.ts";
import { deletePool, initialStates, newPool, poolCommands } from "./pool-model.ts";

const RUNS = sizeOfLane(2, 40);

/** Limits shrinking of a failure. The sequence in progress still runs to its end. */
const SHRINK_TIMEOUT_MS = 90_000;

const browsers = useFakeBrowsers();

describe("a browser pool", () => {
  it(
    "matches its model after any sequence of commands",
    async () => {
      await fc.assert(
        fc.asyncProperty(initialStates, poolCommands, async ({ size, leased }, commands) => {
          const { model, real } = await newPool(browsers, size, leased);
          await fc.asyncModelRun(() => ({ model, real }), commands);
          await deletePool(model, real);
        }),
        { numRuns: RUNS, skipAllAfterTimeLimit: SHRINK_TIMEOUT_MS },
      );
    },
    SHRINK_TIMEOUT_MS + 30_000,
  );
});
