import { describe, expect, it } from "vitest";
import type { EventReader } from "../../src/http/event-log.ts";
import { toEventStream } from "../../src/http/event-stream.ts";

/** Gives these events, then what comes of `last`. */
function readerOf(events: object[], last: () => Promise<undefined>): EventReader<object> {
  const left = [...events];
  return { next: async () => left.shift() ?? last(), close: () => undefined };
}

describe("an event stream", () => {
  it("has each event in a line, and ends with the events", async () => {
    const closed = Promise.withResolvers<void>();
    const reader = readerOf([{ a: 1 }, { b: "two\nlines" }], async () => undefined);
    const stream = toEventStream(reader, (event) => event, closed.resolve);
    expect(await new Response(stream).text()).toBe('data: {"a":1}\n\ndata: {"b":"two\\nlines"}\n\n');
    await closed.promise;
  });

  it("breaks off where the events cannot be read", async () => {
    const closed = Promise.withResolvers<void>();
    const reader = readerOf([{ a: 1 }], () => Promise.reject(new Error("gone")));
    const stream = toEventStream(reader, (event) => event, closed.resolve);
    await expect(new Response(stream).text()).rejects.toThrow("gone");
    await closed.promise;
  });
});
