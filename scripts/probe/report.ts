import type { Probe, Result } from "./api.ts";

/** In US dollars, beyond what the paid plan includes. See docs/costs.md. */
const PRICES = {
  browsers: 0,
  browser_seconds: 0.09 / 3600,
  d1_rows_read: 0.001 / 1e6,
  d1_rows_written: 1 / 1e6,
  r2_writes: 4.5 / 1e6,
  r2_reads: 0.36 / 1e6,
  dynamic_workers: 0.002,
};

const UNITS = {
  browsers: "browsers, all closed",
  browser_seconds: "seconds of browsers",
  d1_rows_read: "rows read from D1",
  d1_rows_written: "rows written to D1",
  r2_writes: "objects written to R2 and deleted",
  r2_reads: "objects read from R2",
  dynamic_workers: "Dynamic Workers",
};

/** What the local runtime is known not to support, with the reason. */
export const LOCAL_DIFFERENCES: Record<string, string> = {
  extensions: "The local browser starts with wrangler's flags, which include --disable-extensions.",
  dynamic_limits: "workerd enforces CPU limits only on Cloudflare.",
};

/** @example "holds      1.2 s  A browser encodes video: avc1.640033" */
export function formatResult({ title }: Probe, { outcome, seen, duration_ms }: Result): string {
  const seconds = `${(duration_ms / 1000).toFixed(1)} s`;
  return `${outcome.padEnd(8)}${seconds.padStart(9)}  ${title}: ${seen}`;
}

export type Cost = typeof PRICES;

export function sumCosts(costs: readonly Record<string, number>[]): Cost {
  const sum = { ...PRICES };
  for (const unit of unitsOf(sum)) sum[unit] = costs.reduce((total, cost) => total + (cost[unit] ?? 0), 0);
  return sum;
}

export function dollarsOf(cost: Cost): number {
  return unitsOf(cost).reduce((total, unit) => total + cost[unit] * PRICES[unit], 0);
}

/** @example "Made and removed: 2 browsers, all closed, 3 seconds of browsers. Costs at most $0.0001." */
export function formatCost(cost: Cost): string {
  const used = unitsOf(cost).filter((unit) => cost[unit] > 0);
  const list = used.map((unit) => `${cost[unit]} ${UNITS[unit]}`).join(", ");
  return `Made and removed: ${list || "nothing"}. Costs at most $${dollarsOf(cost).toFixed(4)}.`;
}

function unitsOf(cost: Cost): (keyof Cost)[] {
  return Object.keys(cost).filter((name): name is keyof Cost => name in PRICES);
}
