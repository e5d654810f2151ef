import { describe, expect, it } from "vitest";
import { findError, formatTime, listItems } from "../../src/recordings/page/items.ts";
import type { TelemetryEvent } from "../../src/telemetry/event.ts";

const STARTED_AT = 1_000_000_000_000;

function documentOf(...events: Pick<TelemetryEvent, "type" | "data">[]) {
  return {
    recording: {
      startedAt: STARTED_AT,
      finishedAt: STARTED_AT + 10_000,
      sizeBytes: 1,
      note: null,
      chapters: [{ time: 1500, url: "https://a.example/", title: "A" }],
    },
    events: events.map(({ type, data }, seq) => ({
      seq,
      event: {
        category: "network" as const,
        type,
        ts: (STARTED_AT + 1000 * (seq + 1)) * 1000,
        source: { kind: "cdp" as const },
        data,
      },
    })),
  };
}

describe("listItems", () => {
  it("merges pages and events in the order of time", () => {
    const items = listItems(documentOf({ type: "page_load" }, { type: "console_log", data: { text: "hi" } }));
    expect(items).toEqual([
      { time: 1, kind: "page load", text: "", isError: false },
      { time: 1.5, kind: "page", text: "A\nhttps://a.example/", isError: false },
      { time: 2, kind: "console log", text: "hi", isError: false },
    ]);
  });

  it.each([
    ["console_error", { text: "boom" }, "boom", true],
    ["console_log", { level: "error", text: "boom" }, "error boom", true],
    ["network_response", { status: 404, method: "GET", body: "x" }, "GET 404", true],
    ["network_response", { status: 304, method: "GET" }, "GET 304", false],
    ["network_loading_failed", { error_text: "net::ERR_FAILED" }, "net::ERR_FAILED", true],
    ["network_loading_failed", { error_text: "net::ERR_ABORTED", canceled: true }, "net::ERR_ABORTED", false],
    ["service_crashed", { service_name: "x" }, "", true],
    ["console_log", { text: "x".repeat(1000) }, "x".repeat(400), false],
    ["console_log", { text: { toString: 1 } }, "", false],
  ])("describes %s %j", (type, data, text, isError) => {
    const item = listItems(documentOf({ type, data })).find(({ kind }) => kind !== "page");
    expect(item).toMatchObject({ text, isError });
  });
});

describe("findError", () => {
  const error = (time: number) => ({ time, kind: "x", text: "", isError: true });
  const items = [error(1), { ...error(2), isError: false }, error(3), error(5)];

  it.each([
    [0, 1, 1],
    [1, 1, 3],
    [3.2, 1, 5],
    [5, 1, undefined],
    [5, -1, 3],
    [3.2, -1, 1],
    [1, -1, undefined],
  ] as const)("finds from %d in direction %d the one at %s", (time, direction, found) => {
    expect(findError(items, time, direction)?.time).toBe(found);
  });
});

describe("formatTime", () => {
  it.each([
    [0, "0:00"],
    [59.9, "0:59"],
    [61, "1:01"],
    [3723.4, "1:02:03"],
  ])("writes %d as %s", (seconds, text) => {
    expect(formatTime(seconds)).toBe(text);
  });
});
