import { eventTitle } from "../../../../src/features/telemetry/event-title.ts";
import { field, type SessionEvent, timeOf } from "./events.ts";
import { isNoise } from "./noise.ts";
import { describeStatus, hasFailed, type NetworkRequest, pairRequests, requestKey } from "./requests.ts";

type Event = SessionEvent["event"];

/** An event, or a request with all its events, as a row of a log. */
export interface LogItem {
  id: number;
  /** Milliseconds since the epoch. */
  at: number;
  group: string;
  title: string;
  text: string;
  isError: boolean;
  event: Event;
  request?: NetworkRequest;
}

/** The categories of events, as readers know them. All others belong to the system. */
const GROUPS: Partial<Record<Event["category"], string>> = {
  page: "Pages",
  console: "Console",
  network: "Network",
  interaction: "Input",
  control: "API calls",
  connection: "Connections",
  screenshot: "Screenshots",
};

/** The most informative fields, in reading order. */
const FIELDS = ["url", "kind", "message", "filename", "key", "selector", "text", "title", "reason", "count"];

const ERROR_TYPE = /error|failed|crash|dropped/;

/** The events as a reader wants them, oldest first. A request is one item with its response. */
export function toItems(events: readonly SessionEvent[]): LogItem[] {
  const requests = new Map(pairRequests(events).map((request) => [request.id, request]));
  return events.flatMap((item) => {
    const request = requests.get(item.seq);
    if (request === undefined && requestKey(item) !== "") return [];
    const { event, seq: id } = item;
    const group = GROUPS[event.category] ?? "System";
    return [{ id, at: timeOf(item), group, event, ...(request ? tellRequest(request) : tellEvent(event)) }];
  });
}

type Told = Pick<LogItem, "title" | "text" | "isError" | "request">;

function tellRequest(request: NetworkRequest): Told {
  return {
    title: request.method || "Request",
    text: `${request.error ?? describeStatus(request)} ${request.url}`,
    isError: hasFailed(request) && !isNoise(request),
    request,
  };
}

function tellEvent(event: Event): Told {
  const { type, data } = event;
  const isError = ERROR_TYPE.test(type) || Number(field(data, "status")) >= 400;
  return { title: eventTitle(event), text: textOf(event), isError };
}

function textOf({ category, type, data }: Event): string {
  if (category === "console") return Array.isArray(data?.args) ? data.args.join(" ") : field(data, "text");
  if (type === "api_call") return `${field(data, "status")} in ${field(data, "duration_ms")} ms`;
  // The address says nothing new about what happened within a page.
  const names = category === "page" ? FIELDS : FIELDS.slice(1);
  const texts = names.map((one) => field(data, one));
  return texts.filter(Boolean).join(" ");
}
