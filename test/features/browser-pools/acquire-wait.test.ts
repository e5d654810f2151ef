import { expect, it } from "vitest";
import { acquireWait } from "../../../src/features/browser-pools/acquire-wait.ts";

it.each([
  ["waits no longer than an SDK's default timeout", undefined, undefined, 50_000],
  ["waits as long as requested", 20, undefined, 20_000],
  ["does not wait when 0 is requested", 0, undefined, 0],
  ["does not wait when 0 is requested, whatever the client's timeout", 0, 600, 0],
  ["has a maximum", 3600, undefined, 50_000],
  ["responds before the client times out", undefined, 30, 25_000],
  ["responds before the client times out, whatever is requested", 30, 30, 25_000],
  ["reserves a quarter of a short client timeout", undefined, 8, 6000],
  ["reserves a quarter even of one second", 60, 1, 750],
  ["reserves the same by either rule at 20 seconds", undefined, 20, 15_000],
  ["waits less than the client's timeout on request", 10, 60, 10_000],
  ["exceeds the maximum when requested and within the client's timeout", 80, 120, 80_000],
  ["does not extend the default to the client's timeout", undefined, 600, 50_000],
  ["has an absolute maximum", 3600, 600, 90_000],
])("an acquire %s", (_, requestedSeconds, clientTimeoutSeconds, milliseconds) => {
  expect(acquireWait(requestedSeconds, clientTimeoutSeconds)).toBe(milliseconds);
});
