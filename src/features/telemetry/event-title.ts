import type { TelemetryEvent } from "./event.ts";

/** For types whose names are not clear to readers. */
const TITLES: Record<string, string> = {
  page_navigation: "Navigated",
  page_load: "Loaded",
  page_dom_content_loaded: "DOM ready",
  page_lcp: "Largest paint",
  page_crashed: "Page crashed",
  interaction_scroll_settled: "Scrolled",
  cdp_connect: "DevTools client connected",
  cdp_disconnect: "DevTools client left",
  live_view_connect: "Viewer joined",
  live_view_disconnect: "Viewer left",
  monitor_events_dropped: "Events are missing",
  service_crashed: "Browser lost",
};

/** What the console and the page of a recording call an event, such as `Create browser session`. */
export function eventTitle({
  category,
  type,
  source,
  data = {},
}: Pick<TelemetryEvent, "category" | "type" | "source" | "data">): string {
  if (category === "console") {
    if (source.event === "Runtime.exceptionThrown") return "Uncaught";
    return toTitle(typeof data.level === "string" ? data.level : "log");
  }
  if (type === "api_call" && typeof data.operation_id === "string") {
    return toTitle(data.operation_id.replaceAll(/([a-z])([A-Z])/g, "$1 $2"));
  }
  const name = type.replace(/^(network|monitor|page|interaction)_/, "").replaceAll("_", " ");
  return TITLES[type] ?? toTitle(name);
}

function toTitle(text: string): string {
  return text.toLowerCase().replace(/^./, (letter) => letter.toUpperCase());
}
