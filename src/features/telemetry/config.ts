import type { TelemetryConfig } from "../../lib/database/schema/session-options.ts";
import { CATEGORIES, type Category } from "./event.ts";

export type { TelemetryConfig } from "../../lib/database/schema/session-options.ts";

/** A requested configuration or change, as in the Kernel SDK. */
export interface TelemetryRequest {
  enabled?: boolean;
  browser?: Partial<Record<Category, { enabled?: boolean; bodies?: boolean } | undefined>>;
  /** Null ends the export. */
  export?: TelemetryConfig["export"] | null;
}

/** The categories that `enabled: true` switches on. */
const DEFAULT_CATEGORIES = { control: true, connection: true, system: true, captcha: true };

/** Recorded by default, because they cost next to nothing and explain most failures. */
const DEFAULT_EVENTS = new Set([
  "api_call",
  "cdp_connect",
  "cdp_disconnect",
  "live_view_connect",
  "live_view_disconnect",
  "session_started",
  "session_ended",
  "page_crashed",
  "service_crashed",
  "recording_failed",
  "page_navigation",
  "page_download",
  "page_dialog",
  "console_error",
]);

/** Say that something is missing. */
const MONITOR_EVENTS = new Set(["monitor_events_dropped", "monitor_export_failed"]);

/** Categories whose events come from the browser. */
const BROWSER_CATEGORIES = ["console", "network", "page", "interaction"] as const;

export const DEFAULT_CONFIG: TelemetryConfig = { isOn: true, categories: {}, bodies: false };

const OFF: TelemetryConfig = { isOn: false, categories: {}, bodies: false };

/**
 * Applies a request by the Kernel SDK's rules: nothing given changes nothing; `enabled: true` starts from the
 * default categories; categories alone are layered onto the current ones, or the default ones if none is on.
 */
export function changeConfig(
  current: TelemetryConfig,
  request: TelemetryRequest | null | undefined,
): TelemetryConfig {
  const { enabled, browser = {}, export: target = current.export } = request ?? {};
  const given = Object.entries(browser).flatMap(([category, chosen]) =>
    chosen?.enabled === undefined ? [] : [[category, chosen.enabled] as const],
  );
  const bodies = browser.network?.bodies ?? (enabled ? false : current.bodies);
  if (enabled === false) return OFF;
  const exported = { export: target ?? undefined };
  if (enabled === undefined && given.length === 0) return { ...current, bodies, ...exported };
  const base = enabled || !isActive(current) ? DEFAULT_CATEGORIES : current.categories;
  const categories: TelemetryConfig["categories"] = { ...base, ...Object.fromEntries(given) };
  const changed = { isOn: true, categories, bodies, ...exported };
  return isActive(changed) ? changed : OFF;
}

/** Whether any category is recorded in full. */
function isActive({ categories }: TelemetryConfig): boolean {
  return Object.values(categories).includes(true);
}

export function wants(
  { isOn, categories }: TelemetryConfig,
  { category, type }: { category: Category | "monitor"; type: string },
): boolean {
  if (!isOn) return false;
  if (category === "monitor") {
    return MONITOR_EVENTS.has(type) || BROWSER_CATEGORIES.some((name) => categories[name] === true);
  }
  return categories[category] ?? DEFAULT_EVENTS.has(type);
}

/** The configuration as the API returns it; null if no category is recorded in full and nothing exported. */
export function presentConfig(config: TelemetryConfig) {
  const { categories, bodies, export: target } = config;
  if (!isActive(config) && target === undefined) return null;
  const browser = Object.fromEntries(
    CATEGORIES.map((category) => [category, { enabled: categories[category] ?? false }]),
  );
  return {
    browser: { ...browser, ...(bodies && { network: { ...browser.network, bodies } }) },
    ...(target && { export: { otlp: { destination: target.destinationId } } }),
  };
}
