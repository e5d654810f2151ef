import { expect, it } from "vitest";
import { pricesSchema } from "../../src/common/prices.ts";
import { estimateCosts } from "../../src/usage/costs.ts";

const NOTHING = {
  browserMs: 0,
  sessions: 0,
  invocations: 0,
  dynamicWorkers: 0,
  recordedMs: 0,
  storedByteHours: 0,
  proxiedBytes: 0,
};

const PRICES = pricesSchema.parse(
  "browser_hour=0.09, invocation=0.001 dynamic_worker=0.002\nrecorded_hour=0.005 stored_gb_month=0.015 proxied_gb=8",
);

const HOUR = 3_600_000;

it.each([
  [{}, {}],
  [{ browserMs: 10 * HOUR }, { browsers: 0.9 }],
  [{ browserMs: 1 }, { browsers: 2.5e-8 }],
  [{ sessions: 1000 }, {}],
  [{ invocations: 1000 }, { invocations: 1 }],
  [{ dynamicWorkers: 1000 }, { dynamic_workers: 2 }],
  [{ recordedMs: HOUR / 2 }, { recordings: 0.0025 }],
  [{ storedByteHours: 2e9 * 720 }, { storage: 0.03 }],
  [{ proxiedBytes: 5e8 }, { proxies: 4 }],
  [
    { browserMs: HOUR, invocations: 1, dynamicWorkers: 1 },
    { browsers: 0.09, invocations: 0.001, dynamic_workers: 0.002 },
  ],
])("%j costs %j", (use, expected) => {
  const { total, ...costs } = estimateCosts({ ...NOTHING, ...use }, PRICES);
  const entries = Object.entries(costs).flatMap(([name, cost]) =>
    cost > 0 ? [[name, Number(cost.toPrecision(12))]] : [],
  );
  expect(Object.fromEntries(entries)).toEqual(expected);
  expect(total).toBeCloseTo(Object.values(expected).reduce((sum, cost) => sum + cost, 0));
});

it("a price that is not named is 0", () => {
  expect(Object.values(pricesSchema.parse(""))).toEqual([0, 0, 0, 0, 0, 0]);
});
