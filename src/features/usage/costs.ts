import type { Prices } from "../../lib/common/prices.ts";
import type { Amounts, Costs } from "./schema.ts";

const GB = 1_000_000_000;

/** Cloudflare bills storage by months of 30 days. */
const HOURS_PER_MONTH = 30 * 24;

/** Estimates in US dollars. */
export function estimateCosts(usage: Amounts, prices: Prices): Costs {
  const costs = {
    browsers: (usage.browser_seconds / 3600) * prices.browser_hour,
    standby: (usage.standby_seconds / 3600) * prices.browser_hour,
    invocations: usage.invocations * prices.invocation,
    dynamic_workers: usage.dynamic_workers * prices.dynamic_worker,
    recordings: (usage.recorded_minutes / 60) * prices.recorded_hour,
    storage: (usage.stored_byte_hours / GB / HOURS_PER_MONTH) * prices.stored_gb_month,
    linux_machines: usage.linux_machine_usd,
    proxies: (usage.proxied_bytes / GB) * prices.proxied_gb,
  };
  return { ...costs, total: Object.values(costs).reduce((sum, cost) => sum + cost, 0) };
}
