import type { Prices } from "../common/prices.ts";
import type { Use } from "./add-use.ts";
import { HOUR_MS } from "./session-time.ts";

const GB = 1_000_000_000;

/** Cloudflare bills storage by months of 30 days. */
const HOURS_PER_MONTH = 30 * 24;

/** What costs are estimated for. */
export const COST_NAMES = [
  "browsers",
  "invocations",
  "dynamic_workers",
  "recordings",
  "storage",
  "proxies",
  "total",
] as const;

/** Estimates in US dollars. */
export function estimateCosts(use: Use, prices: Prices): Record<(typeof COST_NAMES)[number], number> {
  const costs = {
    browsers: (use.browserMs / HOUR_MS) * prices.browser_hour,
    invocations: use.invocations * prices.invocation,
    dynamic_workers: use.dynamicWorkers * prices.dynamic_worker,
    recordings: (use.recordedMs / HOUR_MS) * prices.recorded_hour,
    storage: (use.storedByteHours / GB / HOURS_PER_MONTH) * prices.stored_gb_month,
    proxies: (use.proxiedBytes / GB) * prices.proxied_gb,
  };
  return { ...costs, total: Object.values(costs).reduce((sum, cost) => sum + cost, 0) };
}
