import { cut } from "../../lib/common/cut.ts";
import type { ReplayRow } from "../../lib/database/schema/replays.ts";
import { eventTitle, type TelemetryEvent } from "../telemetry/index.ts";
import type { RecordingItem } from "./recording-document.ts";

const MAX_TEXT_LENGTH = 400;

const ERROR_TYPE = /error|failed|crash|oom/;

const REQUEST = "network_request";
const FAILURE = "network_loading_failed";
const KEY = "interaction_key";

/** The most informative fields of events, in reading order. */
const FIELDS = [
  "method",
  "status",
  "error_text",
  "text",
  "kind",
  "message",
  "key",
  "title",
  "filename",
  "reason",
  "count",
  "what",
];

/** The address in other events is their page's. */
const HAS_URL = new Set([REQUEST, "network_response", FAILURE, "page_navigation", "page_tab_opened"]);

/** A recording's pages and events by time, without headers, bodies and stacks, since links are passed on. */
export function listItems(
  { startedAt, chapters }: Pick<ReplayRow, "startedAt" | "chapters">,
  events: readonly TelemetryEvent[],
): RecordingItem[] {
  const pages = chapters.map(({ time, title, url }) => ({
    time: time / 1000,
    category: "page",
    kind: "Page",
    text: title,
    url,
    isError: false,
  }));
  const others = joinKeys(joinRequests(events)).map((event) => ({
    time: Math.max(0, event.ts / 1_000_000 - startedAt / 1000),
    category: event.category,
    kind: eventTitle(event),
    text: cut(textOf(event), MAX_TEXT_LENGTH),
    url: HAS_URL.has(event.type) ? toText(event.data?.url) : "",
    isError: isError(event),
  }));
  return [...pages, ...others].sort((first, second) => first.time - second.time);
}

/** The response or failure of a request stands for both. A failure lacks its method and URL. */
function joinRequests(events: readonly TelemetryEvent[]): TelemetryEvent[] {
  const requests = new Map<unknown, TelemetryEvent["data"]>();
  const answered = new Set<unknown>();
  for (const { category, type, data } of events) {
    if (type === REQUEST) requests.set(data?.request_id, data);
    else if (category === "network") answered.add(data?.request_id);
  }
  return events
    .filter(({ type, data }) => type !== REQUEST || !answered.has(data?.request_id))
    .map((event) => {
      if (event.type !== FAILURE) return event;
      const { method, url } = requests.get(event.data?.request_id) ?? {};
      return { ...event, data: { ...event.data, method, url } };
    });
}

/** Keys that follow each other make one event. */
function joinKeys(events: readonly TelemetryEvent[]): TelemetryEvent[] {
  const joined: TelemetryEvent[] = [];
  for (const event of events) {
    const before = joined.at(-1);
    const isNext = event.type === KEY && before?.type === KEY;
    const data = event.type === KEY ? { key: nameKey(event) } : event.data;
    if (isNext) joined[joined.length - 1] = { ...before, data: { key: `${before.data?.key}${data?.key}` } };
    else joined.push({ ...event, data });
  }
  return joined;
}

/** Names such as `ArrowLeft` and `F1`. A character may have several code units, as an emoji has. */
const NAMED_KEY = /^[A-Z][A-Za-z\d]+$/;

/** @returns such as `a`, or `[Enter]`. */
function nameKey({ data }: TelemetryEvent): string {
  const key = toText(data?.key);
  return NAMED_KEY.test(key) ? `[${key}]` : key;
}

function textOf({ data = {} }: TelemetryEvent): string {
  if (Array.isArray(data.args)) return data.args.map(toText).join(" ");
  const parts = FIELDS.map((name) => toText(data[name])).filter((part) => part !== "");
  return parts.length === 0 ? toText(data.selector) : parts.join(" ");
}

function toText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function isError({ type, data = {} }: TelemetryEvent): boolean {
  if (data.canceled === true) return false;
  const { status, level } = data;
  return ERROR_TYPE.test(type) || level === "error" || (typeof status === "number" && status >= 400);
}
