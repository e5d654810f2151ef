import type { NumberedEvent, TelemetryEvent } from "./event.ts";

/** A stored run of events with consecutive numbers. Times are microseconds since the epoch. */
export interface EventBatch {
  first: number;
  last: number;
  earliest: number;
  latest: number;
}

/** Batches of events in ascending order. */
export interface EventSource<B extends EventBatch = EventBatch> {
  list(): B[];
  read(batch: B): NumberedEvent[] | Promise<NumberedEvent[]>;
}

export interface EventQuery {
  order: "asc" | "desc";
  limit: number;
  /** Sequence number to start with; absent: the first or last one. */
  cursor?: number;
  /** Inclusive, in microseconds since the epoch. */
  since?: number;
  /** Exclusive, in microseconds since the epoch. */
  until?: number;
  /** Absent: all. */
  categories?: readonly TelemetryEvent["category"][];
}

export interface EventPage {
  items: NumberedEvent[];
  /** Where the next page starts; absent on the last page. */
  nextCursor?: number;
}

/** A page may be short, or empty, when this many events do not match. */
const MAX_SCANNED = 20_000;

export async function readEventPage<B extends EventBatch>(
  source: EventSource<B>,
  query: EventQuery,
): Promise<EventPage> {
  const { order, limit } = query;
  const batches = source.list().filter((batch) => mayMatch(batch, query));
  const items: NumberedEvent[] = [];
  let scanned = 0;
  for (const batch of order === "asc" ? batches : batches.reverse()) {
    const events = await source.read(batch);
    for (const item of order === "asc" ? events : events.reverse()) {
      const isMatch = matches(item, query);
      if ((isMatch && items.length === limit) || scanned === MAX_SCANNED) {
        return { items, nextCursor: item.seq };
      }
      scanned += 1;
      if (isMatch) items.push(item);
    }
  }
  return { items };
}

function mayMatch(batch: EventBatch, { order, cursor, since, until }: EventQuery): boolean {
  if (cursor !== undefined && (order === "asc" ? batch.last < cursor : batch.first > cursor)) return false;
  return (since === undefined || batch.latest >= since) && (until === undefined || batch.earliest < until);
}

function matches({ seq, event }: NumberedEvent, query: EventQuery): boolean {
  const { order, cursor, since, until, categories } = query;
  if (cursor !== undefined && (order === "asc" ? seq < cursor : seq > cursor)) return false;
  if (since !== undefined && event.ts < since) return false;
  if (until !== undefined && event.ts >= until) return false;
  return categories === undefined || categories.includes(event.category);
}
