import { field, type SessionEvent, timeOf, toRow } from "./events.ts";

export const GROUPS = [
  ["page", "Pages"],
  ["console", "Console"],
  ["network", "Network"],
  ["interaction", "Input"],
  ["control", "API calls"],
  ["connection", "Connections"],
  ["handoff", "Handoffs"],
  ["screenshot", "Screenshots"],
  ["system", "System"],
] as const;

type Group = (typeof GROUPS)[number][0];

export interface TimelineItem {
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  group: Group;
  title: string;
  text: string;
  isError: boolean;
  event: SessionEvent["event"];
}

interface TimelineFilter {
  /** Empty: all. */
  groups: readonly Group[];
  onlyErrors: boolean;
  text: string;
}

const TITLES: Record<string, string> = {
  page_navigation: "Navigated",
  page_load: "Loaded",
  page_dom_content_loaded: "DOM ready",
  page_lcp: "Largest paint",
  page_tab_opened: "Tab opened",
  page_download: "Download",
  page_dialog: "Dialog",
  page_navigation_settled: "Page settled",
  page_crashed: "Page crashed",
  interaction_click: "Click",
  interaction_key: "Key",
  interaction_scroll_settled: "Scrolled",
  cdp_connect: "DevTools client connected",
  cdp_disconnect: "DevTools client left",
  live_view_connect: "Viewer joined",
  live_view_disconnect: "Viewer left",
  monitor_screenshot: "Screenshot",
  monitor_events_dropped: "Events are missing",
  service_crashed: "Browser lost",
};

/** The fields that tell most, in reading order. */
const FIELDS = ["method", "status", "error_text", "url", "kind", "message", "filename", "key", "selector"];
const MORE_FIELDS = ["text", "title", "reason", "count", "what"];

const ERROR_TYPE = /error|failed|crash|dropped/;

/** The events as a reader wants them. A response stands for its request, too. */
export function toTimeline(events: readonly SessionEvent[]): TimelineItem[] {
  const requests = new Map<string, Record<string, unknown>>();
  const answered = new Set<string>();
  for (const { event } of events) {
    if (event.category !== "network" || event.data === undefined) continue;
    if (event.type === "network_request") requests.set(requestKey(event.data), event.data);
    else answered.add(requestKey(event.data));
  }
  return events.flatMap((item) => {
    const { type, data } = item.event;
    const isRequest = type === "network_request" && data !== undefined;
    if (isRequest && answered.has(requestKey(data))) return [];
    const request = type === "network_loading_failed" && data ? requests.get(requestKey(data)) : undefined;
    return [toItem(item, request)];
  });
}

export function requestKey(data: Record<string, unknown>): string {
  return `${field(data, "target_id")} ${field(data, "request_id")}`;
}

function toItem(item: SessionEvent, request: Record<string, unknown> | undefined): TimelineItem {
  const { event } = item;
  const { type, data } = event;
  const isCall = type === "api_call";
  const isNavigation = event.category === "page" || event.category === "network";
  const told = request === undefined ? data : { ...data, url: request.url, method: request.method };
  const names = [...FIELDS, ...MORE_FIELDS].filter((name) => name !== "url" || isNavigation);
  const texts = Array.isArray(data?.args)
    ? data.args.filter((text) => typeof text === "string")
    : names.map((name) => field(told, name));
  const text = isCall
    ? `${field(data, "status")} in ${field(data, "duration_ms")} ms`
    : texts.filter(Boolean).join(" ");
  return {
    seq: item.seq,
    at: timeOf(item),
    group: groupOf(event),
    title: isCall
      ? words(field(data, "operation_id").replace(/([a-z])([A-Z])/g, "$1 $2"))
      : (TITLES[type] ?? words(type.replace(/^(network|monitor|page)_/, "").replaceAll("_", " "))),
    text: toRow(text),
    isError: isErrorEvent(event),
    event,
  };
}

function groupOf({ category, data }: SessionEvent["event"]): Group {
  if (category === "control" && /handoff/i.test(field(data, "operation_id"))) return "handoff";
  return GROUPS.find(([group]) => group === category)?.[0] ?? "system";
}

function isErrorEvent({ type, data }: SessionEvent["event"]): boolean {
  if (data?.canceled === true) return false;
  return ERROR_TYPE.test(type) || Number(field(data, "status")) >= 400;
}

/** Such as `Create browser session`. */
function words(text: string): string {
  return text.toLowerCase().replace(/^./, (letter) => letter.toUpperCase());
}

export function filterTimeline(
  items: readonly TimelineItem[],
  { groups, onlyErrors, text }: TimelineFilter,
): TimelineItem[] {
  const wanted = text.toLowerCase();
  return items.filter(
    (item) =>
      (groups.length === 0 || groups.includes(item.group)) &&
      (!onlyErrors || item.isError) &&
      `${item.title} ${item.text}`.toLowerCase().includes(wanted),
  );
}

/** The last item up to a time, for a recording that plays. */
export function itemAt(items: readonly TimelineItem[], time: number | undefined): number | undefined {
  return time === undefined ? undefined : items.findLast(({ at }) => at <= time)?.seq;
}

/** The categories that a reader may miss, as long as only some of their events are recorded. */
export function missingCategories(telemetry: { browser: object } | null): string[] {
  const isOn = new Map<string, unknown>(Object.entries(telemetry?.browser ?? {}));
  return ["console", "network", "page"].filter((category) => {
    const state = isOn.get(category);
    return !(typeof state === "object" && state !== null && "enabled" in state && state.enabled === true);
  });
}
