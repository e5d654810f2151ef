import type { Prices } from "../../lib/common/prices.ts";
import type { Amounts, Costs } from "./schema.ts";

const GB = 1_000_000_000;

/** Cloudflare bills storage by months of 30 days. */
const HOURS_PER_MONTH = 30 * 24;

/** Estimates in US dollars. */
export function estimateCosts(use: Amounts, prices: Prices): Costs {
  const costs = {
    browsers: (use.browser_seconds / 3600) * prices.browser_hour,
    invocations: use.invocations * prices.invocation,
    dynamic_workers: use.dynamic_workers * prices.dynamic_worker,
    recordings: (use.recorded_minutes / 60) * prices.recorded_hour,
    storage: (use.stored_byte_hours / GB / HOURS_PER_MONTH) * prices.stored_gb_month,
    proxies: (use.proxied_bytes / GB) * prices.proxied_gb,
  };
  return { ...costs, total: Object.values(costs).reduce((sum, cost) => sum + cost, 0) };
}
