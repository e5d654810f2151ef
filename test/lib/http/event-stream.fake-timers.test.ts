import { describe, expect, it, vi } from "vitest";
import type { EventReader } from "../../../src/lib/http/event-log.ts";
import { streamEvents, toEventStream } from "../../../src/lib/http/event-stream.ts";

/** Returns the events, then the result of `last`. */
function readerOf(events: object[], last: () => Promise<undefined>): EventReader<object> {
  const remaining = [...events];
  return { next: async () => remaining.shift() ?? last(), close: () => undefined };
}

describe("event streams", () => {
  it("write one line per event and end with the reader", async () => {
    const closed = Promise.withResolvers<void>();
    const reader = readerOf([{ a: 1 }, { b: "two\nlines" }], async () => undefined);
    const stream = toEventStream(reader, (event) => event, closed.resolve);
    expect(await new Response(stream).text()).toBe('data: {"a":1}\n\ndata: {"b":"two\\nlines"}\n\n');
    await closed.promise;
  });

  it("send a large event in chunks without a keep-alive between them", async () => {
    const pieces = Array.from({ length: 4 }, (_, number) => `${number}`.repeat(100_000));
    const reader = readerOf([{}], async () => undefined);
    async function* toJSON() {
      yield '"';
      for (const piece of pieces) {
        // Long enough for a keep-alive line.
        await vi.advanceTimersByTimeAsync(5000);
        yield piece;
      }
      yield '"';
    }
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const received: Uint8Array[] = [];
    for await (const chunk of streamEvents(reader, toJSON, () => undefined)) received.push(chunk);
    vi.useRealTimers();
    expect(received.length).toBeGreaterThanOrEqual(pieces.length);
    expect(await new Blob(received).text()).toBe(`data: "${pieces.join("")}"\n\n`);
  });

  it("fail when the reader fails", async () => {
    const closed = Promise.withResolvers<void>();
    const reader = readerOf([{ a: 1 }], () => Promise.reject(new Error("gone")));
    const stream = toEventStream(reader, (event) => event, closed.resolve);
    await expect(new Response(stream).text()).rejects.toThrow("gone");
    await closed.promise;
  });
});
