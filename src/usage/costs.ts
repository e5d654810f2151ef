import type { Prices } from "../common/prices.ts";
import type { Use } from "./add-use.ts";

const HOUR_MS = 3_600_000;
const GB = 1_000_000_000;

/** Cloudflare bills storage by months of 30 days. */
const HOURS_PER_MONTH = 30 * 24;

/** Estimates in US dollars, by what they are for. */
export function estimateCosts(use: Use, prices: Prices) {
  const costs = {
    browsers: (use.browserMs / HOUR_MS) * prices.browser_hour,
    sessions: use.sessions * prices.session,
    invocations: use.invocations * prices.invocation,
    dynamic_workers: use.dynamicWorkers * prices.dynamic_worker,
    recordings: (use.recordedMs / HOUR_MS) * prices.recorded_hour,
    storage: (use.storedByteHours / GB / HOURS_PER_MONTH) * prices.stored_gb_month,
    proxies: (use.proxiedBytes / GB) * prices.proxied_gb,
  };
  const total = Object.values(costs).reduce((sum, cost) => sum + cost, 0);
  return { ...costs, total };
}
