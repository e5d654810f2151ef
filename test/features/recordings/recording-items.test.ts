import { describe, expect, it } from "vitest";
import { listItems } from "../../../src/features/recordings/recording-items.ts";
import { CATEGORIES, type TelemetryEvent } from "../../../src/features/telemetry/index.ts";

const STARTED_AT = 1_000_000_000_000;

type Told = Pick<TelemetryEvent, "type" | "data">;

/** Lists events that happened a second after each other. */
function list(...events: Told[]) {
  return listItems(
    { startedAt: STARTED_AT, chapters: [] },
    events.map(({ type, data }, index) => ({
      category: CATEGORIES.find((category) => type.startsWith(category)) ?? "system",
      type,
      ts: (STARTED_AT + 1000 * index) * 1000,
      source: { kind: "cdp" },
      data,
    })),
  );
}

describe("listItems", () => {
  it("merges pages and events in the order of time", () => {
    const chapters = [{ time: 1500, url: "https://a.example/", title: "A" }];
    const event = { category: "console", type: "console_log", source: { kind: "cdp" } } as const;
    const items = listItems({ startedAt: STARTED_AT, chapters }, [
      { ...event, ts: STARTED_AT * 1000 - 1, data: { text: "first" } },
      { ...event, ts: STARTED_AT * 1000 + 2_000_000, data: { text: "last" } },
    ]);
    const log = { category: "console", kind: "Log", url: "", isError: false };
    expect(items).toEqual([
      { ...log, time: 0, text: "first" },
      { time: 1.5, category: "page", kind: "Page", text: "A", url: "https://a.example/", isError: false },
      { ...log, time: 2, text: "last" },
    ]);
  });

  const url = "https://a.example/";

  it.each<[Told["type"], Told["data"], text: string, shownURL: string]>([
    ["page_navigation", { url }, "", url],
    ["page_load", { url }, "", ""],
    ["page_tab_opened", { title: "A", url }, "A", url],
    ["page_dialog", { kind: "confirm", message: "Sure?", url }, "confirm Sure?", ""],
    ["network_request", { method: "GET", url, headers: { a: "b" } }, "GET", url],
    ["network_response", { method: "GET", status: 304, url, body: "x" }, "GET 304", url],
    ["console_log", { level: "log", text: "a", args: ["a", "{b: 1}"], url }, "a {b: 1}", ""],
    ["console_error", { text: "Uncaught Error: boom", stack_trace: {}, url }, "Uncaught Error: boom", ""],
    ["interaction_click", { selector: "#buy", text: "Buy", url }, "Buy", ""],
    ["interaction_click", { selector: "#buy", text: "", url }, "#buy", ""],
    ["api_call", { operation_id: "createRecording", status: 200 }, "200", ""],
    ["monitor_events_dropped", { what: "network", count: 7 }, "7 network", ""],
    ["console_log", { text: "x".repeat(100_000) }, `${"x".repeat(399)}…`, ""],
    ["console_log", { text: { toString: 1 }, args: null }, "", ""],
    ["console_log", undefined, "", ""],
  ])("describes %s %j", (type, data, text, shownURL) => {
    expect(list({ type, data })).toMatchObject([{ text, url: shownURL }]);
  });

  it.each<[Told["type"], Told["data"], boolean]>([
    ["console_error", {}, true],
    ["console_log", { level: "error" }, true],
    ["console_log", { level: "warning" }, false],
    ["network_response", { status: 404 }, true],
    ["network_response", { status: 304 }, false],
    ["network_loading_failed", {}, true],
    ["network_loading_failed", { canceled: true }, false],
    ["page_crashed", {}, true],
    ["service_crashed", {}, true],
  ])("says whether %s %j is an error", (type, data, isError) => {
    expect(list({ type, data })).toMatchObject([{ isError }]);
  });

  it("shows a request once, by its answer", () => {
    const request = (request_id: string) => ({
      type: "network_request",
      data: { request_id, method: "POST", url: `${url}${request_id}` },
    });
    const error_text = "net::ERR_FAILED";
    const items = list(
      request("answered"),
      request("failed"),
      request("open"),
      { type: "network_loading_failed", data: { request_id: "failed", error_text, url } },
      { type: "network_response", data: { request_id: "answered", method: "POST", status: 200, url } },
      { type: "network_loading_failed", data: { request_id: "from before", error_text, url } },
    );
    expect(items.map(({ time, text, url }) => [time, text, url])).toEqual([
      [2, "POST", `${url}open`],
      [3, `POST ${error_text}`, `${url}failed`],
      [4, "POST 200", url],
      [5, error_text, ""],
    ]);
  });

  it("joins keys that follow each other", () => {
    const key = (name: string) => ({ type: "interaction_key", data: { key: name, selector: "input" } });
    const items = list(key("H"), key("i"), key("👍🏽"), key("Enter"), { type: "page_load" }, key("x"));
    expect(items.map(({ time, kind, text }) => [time, kind, text])).toEqual([
      [0, "Key", "Hi👍🏽[Enter]"],
      [4, "Loaded", ""],
      [5, "Key", "x"],
    ]);
  });
});
