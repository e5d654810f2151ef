import { expect, it } from "vitest";
import { type Arrivals, addArrival, wantedStandby } from "../../../src/platform/broker/standby-policy.ts";

const NOW = 1_800_000_000_000;
const AUTO = { count: "auto" as const, idleMs: 600_000, minimum: 0 };
const USUAL = { launchMs: 3000, maxBrowsers: 1000, now: NOW };

/** Sessions that were created at regular intervals until `lastAgoMs` before now. */
function arrivals(count: number, intervalMs: number, lastAgoMs = 0): Arrivals {
  const first = NOW - lastAgoMs - (count - 1) * intervalMs;
  return Array.from({ length: count }, (_, index) => first + index * intervalMs).reduce(addArrival, {
    perMs: 0,
    at: 0,
  });
}

it.each([
  ["none before the first session", AUTO, { perMs: 0, at: 0 }, {}, 0],
  ["one after the first session", AUTO, arrivals(1, 1), {}, 1],
  ["one while sessions are rare", AUTO, arrivals(10, 60_000, 59_000), {}, 1],
  ["one until the service is idle", AUTO, arrivals(10, 1000, 599_000), {}, 1],
  ["none once the service is idle", AUTO, arrivals(10, 1000, 600_000), {}, 0],
  ["more for a session each second", AUTO, arrivals(600, 1000), {}, 6],
  ["fewer where launches are fast", AUTO, arrivals(600, 1000), { launchMs: 500 }, 2],
  ["still more for ten a second", AUTO, arrivals(6000, 100), {}, 40],
  ["fewer again a minute later", AUTO, arrivals(6000, 100, 60_000), {}, 17],
  ["more for a batch of fifty", AUTO, arrivals(50, 20), {}, 6],
  ["at most a quarter of the platform's limit", AUTO, arrivals(6000, 100), { maxBrowsers: 100 }, 25],
  ["one where the platform allows three", AUTO, arrivals(6000, 100), { maxBrowsers: 3 }, 1],
  ["the minimum while idle", { ...AUTO, minimum: 2 }, { perMs: 0, at: 0 }, {}, 2],
  ["what the rate needs above the minimum", { ...AUTO, minimum: 2 }, arrivals(600, 1000), {}, 6],
  ["a fixed number", { ...AUTO, count: 3 }, arrivals(600, 1000), {}, 3],
  ["none when switched off", { ...AUTO, count: 0, minimum: 2 }, arrivals(600, 1000), {}, 0],
])("keeps %s", (_, settings, recent, given, expected) => {
  expect(wantedStandby(settings, { ...USUAL, arrivals: recent, ...given })).toBe(expected);
});
