import { z } from "zod";
import type { NumberedEvent } from "./event.ts";

/** A request and what became of it, as in HAR 1.2: http://www.softwareishard.com/blog/har-12-spec/ */
export interface HAREntry {
  /** ISO 8601. */
  startedDateTime: string;
  /** Milliseconds. */
  time: number;
  request: HARMessage & {
    method: string;
    url: string;
    queryString: HARPair[];
    postData?: { mimeType: string; text: string };
  };
  response: HARMessage & {
    /** 0 when there was none. */
    status: number;
    statusText: string;
    content: { size: number; mimeType: string; text?: string };
    redirectURL: string;
    _error?: string;
  };
  cache: Record<string, never>;
  timings: { send: number; wait: number; receive: number };
  /** Such as `document` or `fetch`. */
  _resourceType: string;
}

interface HARMessage {
  httpVersion: string;
  headers: HARPair[];
  cookies: never[];
  /** -1: unknown. */
  headersSize: number;
  bodySize: number;
}

interface HARPair {
  name: string;
  value: string;
}

/** What the events of a request may hold. Events of older versions may lack some of it. */
const dataSchema = z.object({
  request_id: z.string(),
  target_id: z.string().default(""),
  method: z.string().default(""),
  url: z.string().default(""),
  headers: z.record(z.string(), z.unknown()).default({}),
  resource_type: z.string().default(""),
  post_data: z.string().optional(),
  redirect_status: z.number().optional(),
  status: z.number().default(0),
  status_text: z.string().default(""),
  mime_type: z.string().default(""),
  body: z.string().optional(),
  error_text: z.string().default("Failed"),
});

type Data = z.infer<typeof dataSchema>;

const UNKNOWN = { httpVersion: "unknown", cookies: [], headersSize: -1, bodySize: -1 };

/** Makes entries of network events, which it takes in their order. */
export class HAREntries {
  readonly #pending = new Map<string, HAREntry>();

  /** @returns the entry that the event completes. */
  take({ event: { type, ts, data } }: NumberedEvent): HAREntry | undefined {
    const parsed = dataSchema.safeParse(data);
    if (!parsed.success) return undefined;
    const key = `${parsed.data.target_id} ${parsed.data.request_id}`;
    const entry = this.#pending.get(key);
    if (type === "network_request") {
      this.#pending.set(key, newEntry(parsed.data, ts));
      return entry && redirect(entry, parsed.data, ts);
    }
    if (type !== "network_response" && type !== "network_loading_failed") return undefined;
    this.#pending.delete(key);
    // The request was not recorded, because there were too many.
    const known = entry ?? newEntry(parsed.data, ts);
    return type === "network_response" ? respond(known, parsed.data, ts) : fail(known, parsed.data, ts);
  }

  /** Returns the requests that were not answered. */
  rest(): HAREntry[] {
    return [...this.#pending.values()];
  }
}

function newEntry({ method, url, headers, resource_type, post_data }: Data, ts: number): HAREntry {
  const contentType = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  return {
    startedDateTime: new Date(ts / 1000).toISOString(),
    time: 0,
    request: {
      ...UNKNOWN,
      method,
      url,
      headers: toPairs(headers),
      queryString: URL.canParse(url) ? toPairs(new URL(url).searchParams) : [],
      ...(post_data !== undefined && {
        postData: { mimeType: String(contentType ?? ""), text: post_data },
      }),
    },
    response: {
      ...UNKNOWN,
      status: 0,
      statusText: "",
      headers: [],
      content: { size: 0, mimeType: "" },
      redirectURL: "",
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
    _resourceType: resource_type.toLowerCase(),
  };
}

function respond(entry: HAREntry, data: Data, ts: number): HAREntry {
  const { status, status_text: statusText, headers, mime_type: mimeType, body, resource_type } = data;
  Object.assign(entry.response, { status, statusText, headers: toPairs(headers) });
  entry.response.content = { size: body?.length ?? 0, mimeType, ...(body !== undefined && { text: body }) };
  entry._resourceType = resource_type.toLowerCase();
  return end(entry, ts);
}

function redirect(entry: HAREntry, { url, redirect_status = 302 }: Data, ts: number): HAREntry {
  Object.assign(entry.response, { status: redirect_status, redirectURL: url });
  return end(entry, ts);
}

function fail(entry: HAREntry, { error_text }: Data, ts: number): HAREntry {
  entry.response._error = error_text;
  return end(entry, ts);
}

function end(entry: HAREntry, ts: number): HAREntry {
  entry.time = Math.max(0, ts / 1000 - Date.parse(entry.startedDateTime));
  entry.timings.wait = entry.time;
  return entry;
}

function toPairs(items: Record<string, unknown> | URLSearchParams): HARPair[] {
  const entries = items instanceof URLSearchParams ? [...items] : Object.entries(items);
  return entries.map(([name, value]) => ({ name, value: String(value) }));
}

interface EventPage {
  items: NumberedEvent[];
  /** Absent on the last page. */
  nextCursor?: number;
}

type ReadPage = (cursor: number | undefined) => Promise<EventPage>;

/**
 * Returns a HAR file as a stream, which reads the next page of events when its reader wants more. Entries are in
 * the order in which their requests ended.
 *
 * @param readPage reads events from a cursor on; without one, from the first event on.
 * @throws what reading the first page throws.
 */
export async function streamHAR(readPage: ReadPage): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  const parts = harParts(await readPage(undefined), readPage);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}

async function* harParts(first: EventPage, readPage: ReadPage) {
  const entries = new HAREntries();
  let separator = "";
  const write = (entry: HAREntry) => {
    const text = separator + JSON.stringify(entry);
    separator = ",";
    return text;
  };
  yield `{"log":{"version":"1.2","creator":{"name":"Berth","version":"1"},"entries":[`;
  for (let page = first; ; page = await readPage(page.nextCursor)) {
    const finished = page.items.flatMap((item) => entries.take(item) ?? []);
    if (finished.length > 0) yield finished.map(write).join("");
    if (page.nextCursor === undefined) break;
  }
  yield `${entries.rest().map(write).join("")}]}}`;
}
