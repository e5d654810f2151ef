import { field, isRecord, type SessionEvent, timeOf } from "./events.ts";
import { requestKey } from "./timeline.ts";

/** Requests that begin later belong to another load. */
const PAUSE_MS = 1000;

type Data = Record<string, unknown>;

export interface NetworkEntry {
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
}

export const OUTCOMES = [
  ["all", "All"],
  ["ok", "Successful"],
  ["failed", "Failed"],
  ["pending", "Pending"],
] as const;

type Outcome = (typeof OUTCOMES)[number][0];

/** Pairs requests with their responses and failures. A redirect begins another entry of the same request. */
export function pairRequests(events: readonly SessionEvent[]): NetworkEntry[] {
  const entries: NetworkEntry[] = [];
  const latest = new Map<string, NetworkEntry>();
  for (const item of events) {
    const { category, type, data } = item.event;
    if (category !== "network" || data === undefined || field(data, "request_id") === "") continue;
    const key = requestKey(data);
    const before = latest.get(key);
    const at = timeOf(item);
    if (type === "network_request" || before === undefined) {
      if (before !== undefined && before.endedAt === undefined) {
        Object.assign(before, { endedAt: at, redirectedTo: field(data, "url") });
      }
      const entry: NetworkEntry = {
        id: item.seq,
        method: field(data, "method"),
        url: type === "network_loading_failed" ? "" : field(data, "url"),
        type: field(data, "resource_type"),
        startedAt: at,
      };
      entries.push(entry);
      latest.set(key, entry);
    }
    const entry = latest.get(key);
    if (entry === undefined) continue;
    if (type === "network_request") entry.request = data;
    else Object.assign(entry, { endedAt: at }, type === "network_response" ? answer(data) : failure(data));
  }
  return entries;
}

function answer(data: Data): Partial<NetworkEntry> {
  const length = headersOf(data).find(([name]) => name.toLowerCase() === "content-length")?.[1];
  const size = length === undefined ? Number.NaN : Number(length);
  return {
    response: data,
    status: Number(field(data, "status")),
    type: field(data, "resource_type"),
    ...(Number.isFinite(size) && { size }),
  };
}

function failure(data: Data): Partial<NetworkEntry> {
  return { error: data.canceled === true ? "Canceled" : field(data, "error_text") || "Failed" };
}

export function headersOf(data: Data | undefined): [string, string][] {
  const headers = data?.headers;
  return isRecord(headers) ? Object.entries(headers).map(([name, value]) => [name, String(value)]) : [];
}

export function outcomeOf({ status, error, endedAt }: NetworkEntry): Exclude<Outcome, "all"> {
  if (error === "Canceled") return "ok";
  if (error !== undefined || (status ?? 0) >= 400) return "failed";
  return endedAt === undefined ? "pending" : "ok";
}

export function describeStatus(entry: NetworkEntry): string {
  const { status, error, redirectedTo } = entry;
  if (error !== undefined) return error === "Canceled" ? error : "Failed";
  if (redirectedTo !== undefined) return "Redirect";
  return status === undefined ? "Pending" : String(status);
}

/** The last part of an address, which tells requests of a page apart. */
export function shortName(url: string): string {
  if (!/^(https?|wss?):/.test(url) || !URL.canParse(url)) return url;
  const { host, pathname, search } = new URL(url);
  const name = pathname.split("/").filter(Boolean).at(-1) ?? "";
  return name + search || host || url;
}

export function filterRequests(
  entries: readonly NetworkEntry[],
  { text, type, outcome }: { text: string; type: string; outcome: Outcome },
): NetworkEntry[] {
  const wanted = text.toLowerCase();
  return entries.filter(
    (entry) =>
      `${entry.method} ${entry.url} ${describeStatus(entry)}`.toLowerCase().includes(wanted) &&
      (type === "" || entry.type === type) &&
      (outcome === "all" || outcomeOf(entry) === outcome),
  );
}

interface Range {
  from: number;
  to: number;
}

/** Where an entry's bar begins and how long it is, in percent of a range. */
export function toBar(
  { startedAt, endedAt }: NetworkEntry,
  { from, to }: Range,
): { x: number; width: number } {
  const scale = 100 / Math.max(1, to - from);
  const x = Math.min(98, (startedAt - from) * scale);
  return { x, width: Math.max(2, Math.min(100 - x, ((endedAt ?? to) - startedAt) * scale)) };
}

/**
 * For each entry, the time of all requests that were made together, such as those of one page. A scale over the
 * whole session would show nothing.
 */
export function toRanges(entries: readonly NetworkEntry[]): Map<number, Range> {
  let range: Range | undefined;
  const ranges = new Map<number, Range>();
  for (const { id, startedAt, endedAt = startedAt } of entries) {
    if (range === undefined || startedAt > range.to + PAUSE_MS) range = { from: startedAt, to: endedAt };
    else range.to = Math.max(range.to, endedAt);
    ranges.set(id, range);
  }
  return ranges;
}
