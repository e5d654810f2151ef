import type { Schemas } from "../../api/client.ts";
import type { Tone } from "../../ui/badge.tsx";

export type Pool = Schemas["BrowserPool"];
export type PoolBody = Schemas["CreateBrowserPool"] & Schemas["UpdateBrowserPool"];
type Viewport = Schemas["Viewport"];

export const VIEWPORTS: readonly Viewport[] = [
  { width: 2560, height: 1440, refresh_rate: 10 },
  { width: 1920, height: 1080, refresh_rate: 25 },
  { width: 1920, height: 1200, refresh_rate: 25 },
  { width: 1440, height: 900, refresh_rate: 25 },
  { width: 1200, height: 800, refresh_rate: 60 },
  { width: 1024, height: 768, refresh_rate: 60 },
];

const ON = { enabled: true };

/** Choices of what is recorded. The first changes nothing. */
export const TELEMETRY: Record<string, PoolBody["telemetry"]> = {
  "As it is": undefined,
  Nothing: { enabled: false },
  "API calls, connections, crashes and ends": ON,
  Everything: {
    ...ON,
    browser: { console: ON, network: ON, page: ON, interaction: ON, screenshot: ON },
  },
};

/** As a request, with every field. An empty id selects nothing. */
export interface PoolForm extends Omit<Required<PoolBody>, "telemetry" | "extensions"> {
  profile: { id: string };
  extensions: readonly { id: string }[];
  /** One of {@link TELEMETRY}. */
  telemetry: string;
}

export const NEW_POOL: PoolForm = {
  name: "",
  size: 2,
  fill_rate_per_minute: 10,
  timeout_seconds: 600,
  viewport: { width: 1920, height: 1080, refresh_rate: 25 },
  headless: false,
  stealth: false,
  kiosk_mode: false,
  record: false,
  start_url: "",
  profile: { id: "" },
  proxy_id: "",
  extensions: [],
  telemetry: "As it is",
  discard_all_idle: false,
};

export function toForm({ browser_pool_config: config, profile_id: id = "", extension_ids }: Pool): PoolForm {
  const selected = { profile: { id }, extensions: extension_ids.map((id) => ({ id })) };
  return { ...NEW_POOL, ...config, ...selected, telemetry: NEW_POOL.telemetry };
}

/**
 * The body that creates a pool, or changes one. A selection that did not change is left out, because what it selects may
 * have been deleted.
 */
export function toBody(form: PoolForm, before: PoolForm): PoolBody {
  const { profile, proxy_id, extensions } = form;
  return {
    ...form,
    profile: profile.id === before.profile.id ? undefined : profile,
    proxy_id: proxy_id === before.proxy_id ? undefined : proxy_id,
    extensions: extensions === before.extensions ? undefined : [...extensions],
    telemetry: TELEMETRY[form.telemetry],
    discard_all_idle: form.discard_all_idle || undefined,
  };
}

export function formatViewport({ width, height, refresh_rate }: Viewport): string {
  return `${width} × ${height}${refresh_rate === undefined ? "" : `, ${refresh_rate} Hz`}`;
}

/** How a pool's filling goes, in a word. */
export function stateOf(pool: Pool): { tone: Tone; text: string } {
  const { size, fill_rate_per_minute } = pool.browser_pool_config;
  if (pool.available_count + pool.acquired_count >= size) return { tone: "good", text: "Full" };
  if (pool.last_error !== undefined) return { tone: "bad", text: "Failing" };
  return fill_rate_per_minute === 0 ? { tone: "neutral", text: "Paused" } : { tone: "info", text: "Filling" };
}

/** Says what a fill rate means for a pool of a size. */
export function describeFilling({ size, fill_rate_per_minute: rate }: PoolForm): string {
  if (rate === 0) return "0 pauses filling.";
  // The first browser is launched at once, the others evenly.
  const minutes = Math.ceil((size - 1) / ((size * rate) / 100));
  return minutes >= 1 ? `A new pool of this size is full after about ${minutes} min.` : "";
}
