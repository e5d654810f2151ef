import { z } from "@hono/zod-openapi";

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-sse-content-type": "application/json",
};

const EVENT_STREAM_HEADERS = z.object({
  "X-SSE-Content-Type": z.literal("application/json").describe("Content type of the `data:` lines."),
});

/** A route's response of events. @param event schema of the `data:` lines. */
export function eventsResponse<T extends z.ZodType>(event: T) {
  const content = { "text/event-stream": { schema: event } };
  return { description: "Server-sent events.", headers: EVENT_STREAM_HEADERS, content };
}

export function eventName<T extends string>(name: T) {
  return z.literal(name).describe("Kind of the event.");
}

export function eventStreamResponse(events: ReadableStream<Uint8Array>) {
  return new Response(events, { headers: HEADERS });
}
