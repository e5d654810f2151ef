import type { CreateBody } from "./samples.ts";

export const VIEWPORTS = ["2560x1440", "1920x1080", "1920x1200", "1440x900", "1200x800", "1024x768"];
export const DEFAULT_VIEWPORT = "1920x1080";
export const DEFAULT_TIMEOUT = 60;

export const CATEGORIES = [
  ["control", "API calls"],
  ["connection", "DevTools clients and viewers"],
  ["system", "Crashes and the session's end"],
  ["console", "Console messages and uncaught errors"],
  ["network", "Requests and responses"],
  ["page", "Navigation, loading, tabs, downloads, dialogs and layout"],
  ["interaction", "Clicks, keys and scrolling"],
  ["screenshot", "Screenshots after navigations and clicks"],
] as const;

type Category = (typeof CATEGORIES)[number][0];
type Telemetry = NonNullable<CreateBody["telemetry"]>;

/** Those that are on once telemetry is. */
const DEFAULT_CATEGORIES: readonly Category[] = ["control", "connection", "system"];

export function isOn({ browser }: Telemetry, category: Category): boolean {
  return browser?.[category]?.enabled ?? DEFAULT_CATEGORIES.includes(category);
}

/** Names only the categories that are not as by default. */
export function withCategory({ browser }: Telemetry, category: Category, enabled: boolean): Telemetry {
  const { [category]: _, ...others } = browser ?? {};
  const isDefault = enabled === DEFAULT_CATEGORIES.includes(category);
  const changed = isDefault ? others : { ...others, [category]: { enabled } };
  return Object.keys(changed).length === 0 ? { enabled: true } : { browser: changed };
}

/** Without what is as by default, and without what a headless session cannot have. */
export function withoutDefaults(body: CreateBody): CreateBody {
  const { viewport, viewport_mode, timeout_seconds, headless } = body;
  const size = `${viewport?.width}x${viewport?.height}`;
  const dropped = [
    ...(headless ? ["kiosk_mode", "record"] : []),
    ...(timeout_seconds === DEFAULT_TIMEOUT ? ["timeout_seconds"] : []),
    ...(viewport_mode === undefined && size === DEFAULT_VIEWPORT ? ["viewport"] : []),
  ];
  const isGiven = ([name, value]: [string, unknown]) =>
    value !== undefined &&
    !["false", '""', "{}", "[]"].includes(JSON.stringify(value)) &&
    !dropped.includes(name);
  return Object.fromEntries(Object.entries(body).filter(isGiven));
}
