import { expect, it } from "vitest";
import { estimateCosts } from "../../../src/features/usage/costs.ts";
import { pricesSchema } from "../../../src/lib/common/prices.ts";

const NOTHING = {
  browser_seconds: 0,
  sessions: 0,
  invocations: 0,
  dynamic_workers: 0,
  recorded_minutes: 0,
  stored_byte_hours: 0,
  proxied_bytes: 0,
  standby_seconds: 0,
  linux_machine_seconds: 0,
  linux_machine_usd: 0,
};

const PRICES = pricesSchema.parse(
  "browser_hour=0.09, invocation=0.001 dynamic_worker=0.002\nrecorded_hour=0.005 stored_gb_month=0.015 proxied_gb=8",
);

const HOUR = 3600;

it.each([
  [{}, {}],
  [{ browser_seconds: 10 * HOUR }, { browsers: 0.9 }],
  [{ browser_seconds: 0.001 }, { browsers: 2.5e-8 }],
  [{ standby_seconds: HOUR }, { standby: 0.09 }],
  [{ sessions: 1000 }, {}],
  [{ invocations: 1000 }, { invocations: 1 }],
  [{ dynamic_workers: 1000 }, { dynamic_workers: 2 }],
  [{ recorded_minutes: 30 }, { recordings: 0.0025 }],
  [{ stored_byte_hours: 2e9 * 720 }, { storage: 0.03 }],
  [{ proxied_bytes: 5e8 }, { proxies: 4 }],
  [{ linux_machine_seconds: HOUR, linux_machine_usd: 0.05 }, { linux_machines: 0.05 }],
  [
    { browser_seconds: HOUR, invocations: 1, dynamic_workers: 1 },
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
