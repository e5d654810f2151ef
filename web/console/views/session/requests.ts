import { field, isRecord, type SessionEvent, timeOf } from "./events.ts";

/** Requests that begin later belong to another load. */
const PAUSE_MS = 1000;

type Data = Record<string, unknown>;

export interface NetworkRequest {
  /** The number of its first event. */
  id: number;
  method: string;
  url: string;
  /** Such as `Document` or `Fetch`. */
  type: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt?: number;
  status?: number;
  /** By its Content-Length: the number of transferred bytes is not recorded. */
  size?: number;
  /** Why it failed. */
  error?: string;
  redirectedTo?: string;
  request?: Data;
  response?: Data;
  /** The time of all requests that were made together, such as those of one page. */
  load: { from: number; to: number };
}

/** Identifies the request that an event belongs to. Empty: none. */
export function requestKey({ event: { category, data } }: SessionEvent): string {
  const id = category === "network" ? field(data, "request_id") : "";
  return id && `${field(data, "target_id")} ${id}`;
}

/** Pairs requests with their responses and failures. A redirect begins another entry of the same request. */
export function pairRequests(events: readonly SessionEvent[]): NetworkRequest[] {
  const requests: NetworkRequest[] = [];
  const latest = new Map<string, NetworkRequest>();
  for (const item of events) {
    const key = requestKey(item);
    if (key === "") continue;
    const { type, data = {} } = item.event;
    const at = timeOf(item);
    let request = latest.get(key);
    if (type === "network_request" || request === undefined) {
      if (request !== undefined && request.endedAt === undefined) {
        Object.assign(request, { endedAt: at, redirectedTo: field(data, "url") });
      }
      request = {
        id: item.seq,
        method: field(data, "method"),
        url: field(data, "url"),
        type: field(data, "resource_type"),
        startedAt: at,
        load: { from: at, to: at },
      };
      requests.push(request);
      latest.set(key, request);
    }
    if (type === "network_request") request.request = data;
    else Object.assign(request, { endedAt: at }, type === "network_response" ? answer(data) : failure(data));
  }
  groupByLoad(requests);
  return requests;
}

function answer(data: Data): Partial<NetworkRequest> {
  const size = Number(headersOf(data).find(([name]) => name.toLowerCase() === "content-length")?.[1]);
  return {
    response: data,
    status: Number(field(data, "status")),
    type: field(data, "resource_type"),
    ...(Number.isFinite(size) && { size }),
  };
}

function failure(data: Data): Partial<NetworkRequest> {
  return { error: data.canceled === true ? "Canceled" : field(data, "error_text") || "Failed" };
}

/** A scale over the whole session would show nothing. */
function groupByLoad(requests: readonly NetworkRequest[]): void {
  let load = { from: 0, to: Number.NEGATIVE_INFINITY };
  for (const request of requests) {
    const { startedAt, endedAt = startedAt } = request;
    if (startedAt > load.to + PAUSE_MS) load = { from: startedAt, to: endedAt };
    load.to = Math.max(load.to, endedAt);
    request.load = load;
  }
}

export function headersOf(data: Data | undefined): [string, string][] {
  const headers = data?.headers;
  return isRecord(headers) ? Object.entries(headers).map(([name, value]) => [name, String(value)]) : [];
}

export function hasFailed({ status = 0, error }: NetworkRequest): boolean {
  return error === undefined ? status >= 400 : error !== "Canceled";
}

export function describeStatus({ status, error, redirectedTo }: NetworkRequest): string {
  if (error !== undefined) return error === "Canceled" ? error : "Failed";
  if (redirectedTo !== undefined) return "Redirect";
  return status === undefined ? "Pending" : String(status);
}

/** The last part of an address, which tells requests of a page apart. */
export function shortName(url: string): string {
  if (!/^(https?|wss?):/.test(url) || !URL.canParse(url)) return url;
  const { host, pathname, search } = new URL(url);
  const name = pathname.split("/").filter(Boolean).at(-1) ?? "";
  return name + search || host;
}

/** Where the bar of a request begins and how long it is, in percent of its load. */
export function toBar({ startedAt, endedAt, load: { from, to } }: NetworkRequest) {
  const scale = 100 / Math.max(1, to - from);
  const x = Math.min(98, (startedAt - from) * scale);
  return { x, width: Math.max(2, ((endedAt ?? to) - startedAt) * scale) };
}
