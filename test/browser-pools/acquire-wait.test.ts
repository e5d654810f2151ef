import { expect, it } from "vitest";
import { acquireWait } from "../../src/browser-pools/acquire-wait.ts";

it.each([
  ["waits no longer than an SDK listens by default, when nothing is said", undefined, undefined, 50_000],
  ["waits as long as it is asked to", 20, undefined, 20_000],
  ["does not wait when it is asked not to", 0, undefined, 0],
  ["does not wait when it is asked not to, however long the caller listens", 0, 600, 0],
  ["has a longest wait", 3600, undefined, 50_000],
  ["answers before the caller stops to listen", undefined, 30, 25_000],
  ["answers before the caller stops to listen, whatever is asked", 30, 30, 25_000],
  ["keeps a quarter back where the caller listens briefly", undefined, 8, 6000],
  ["keeps a quarter back even of one second", 60, 1, 750],
  ["keeps as much back by either rule at 20 seconds", undefined, 20, 15_000],
  ["waits less than a caller listens where less is asked", 10, 60, 10_000],
  ["waits longer than the longest wait when it is asked to and the caller listens", 80, 120, 80_000],
  ["does not wait longer unasked because the caller listens", undefined, 600, 50_000],
  ["has a longest wait of all", 3600, 600, 90_000],
])("an acquire %s", (_, askedSeconds, listensSeconds, milliseconds) => {
  expect(acquireWait(askedSeconds, listensSeconds)).toBe(milliseconds);
});
