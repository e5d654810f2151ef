import { describe, expect, it } from "vitest";
import type { NumberedEvent } from "../../../src/features/telemetry/event.ts";
import { HAREntries, streamHAR } from "../../../src/features/telemetry/har.ts";

const START = Date.UTC(2026, 0, 2);

let seq = 0;

/** An event of a request, some milliseconds after the start. */
function event(type: string, after: number, data: Record<string, unknown>): NumberedEvent {
  seq += 1;
  const ts = (START + after) * 1000;
  const source = { kind: "cdp" } as const;
  return { seq, event: { category: "network", type, ts, source, data: { target_id: "t", ...data } } };
}

const asked = (id: string, url: string, more = {}) =>
  event("network_request", 0, {
    request_id: id,
    method: "GET",
    url,
    headers: {},
    resource_type: "XHR",
    ...more,
  });

const answered = (id: string, after: number, more = {}) =>
  event("network_response", after, { request_id: id, status: 200, mime_type: "text/plain", ...more });

function entriesOf(events: readonly NumberedEvent[]) {
  const entries = new HAREntries();
  return [...events.flatMap((item) => entries.take(item) ?? []), ...entries.rest()];
}

describe("HAREntries", () => {
  it("pairs a request with its response", () => {
    const headers = { "Content-Type": "text/plain" };
    const [entry, ...others] = entriesOf([
      asked("1", "http://a/x?b=c&b=d", { method: "POST", headers, post_data: "hello" }),
      answered("1", 25, { headers: { server: "s" }, body: "hi", status: 201, status_text: "Created" }),
    ]);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      startedDateTime: "2026-01-02T00:00:00.000Z",
      time: 25,
      request: {
        method: "POST",
        url: "http://a/x?b=c&b=d",
        headers: [{ name: "Content-Type", value: "text/plain" }],
        queryString: [
          { name: "b", value: "c" },
          { name: "b", value: "d" },
        ],
        postData: { mimeType: "text/plain", text: "hello" },
      },
      response: {
        status: 201,
        statusText: "Created",
        headers: [{ name: "server", value: "s" }],
        content: { size: 2, mimeType: "text/plain", text: "hi" },
      },
      timings: { wait: 25 },
    });
  });

  it("makes an entry of each redirect", () => {
    const redirected = { redirect_status: 307, is_redirect: true };
    const entries = entriesOf([
      asked("1", "http://a/1"),
      asked("1", "http://a/2", redirected),
      answered("1", 5),
    ]);
    expect(
      entries.map(({ request, response }) => [request.url, response.status, response.redirectURL]),
    ).toEqual([
      ["http://a/1", 307, "http://a/2"],
      ["http://a/2", 200, ""],
    ]);
  });

  it("says why a request failed, and keeps one that was not answered", () => {
    const failed = event("network_loading_failed", 7, { request_id: "1", error_text: "net::ERR_FAILED" });
    const entries = entriesOf([asked("2", "http://a/2"), asked("1", "http://a/1"), failed]);
    expect(
      entries.map(({ request, response, time }) => [request.url, response.status, response._error, time]),
    ).toEqual([
      ["http://a/1", 0, "net::ERR_FAILED", 7],
      ["http://a/2", 0, undefined, 0],
    ]);
  });

  it("keeps targets apart, and a response whose request was dropped", () => {
    const other = event("network_response", 3, {
      target_id: "u",
      request_id: "1",
      status: 204,
      url: "http://b/",
    });
    const entries = entriesOf([asked("1", "http://a/"), other, answered("1", 4)]);
    expect(entries.map(({ request, response }) => [request.url, response.status])).toEqual([
      ["http://b/", 204],
      ["http://a/", 200],
    ]);
  });

  it.each([[{}], [{ request_id: 5 }], [{ request_id: "1", headers: "x" }]])("ignores %j", (data) => {
    expect(entriesOf([event("network_request", 0, data)])).toEqual([]);
  });
});

describe("streamHAR", () => {
  it.each([[[]], [[asked("1", "http://a/"), answered("1", 1), asked("2", "http://b/")]]])(
    "is JSON",
    async (events) => {
      const pages = [{ items: events.slice(0, 2), nextCursor: 9 }, { items: events.slice(2) }];
      const cursors: unknown[] = [];
      const stream = await streamHAR(async (cursor) => {
        cursors.push(cursor);
        return pages[cursors.length - 1] ?? { items: [] };
      });
      const { log } = await new Response(stream).json<{ log: { version: string; entries: unknown[] } }>();
      expect(log.version).toBe("1.2");
      expect(log.entries).toHaveLength(entriesOf(events).length);
      expect(cursors).toEqual([undefined, 9]);
    },
  );

  it("fails before it is a file when the events cannot be read", async () => {
    await expect(streamHAR(() => Promise.reject(new Error("no answer")))).rejects.toThrow("no answer");
  });
});
