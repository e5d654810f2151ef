import { expect, it } from "vitest";
import { toLogLine } from "../../../src/features/telemetry/log-lines.ts";

it.each([
  [
    "console_log",
    { level: "log", text: "said", args: ["said", "1", "{a: 2}"], url: "https://a.example/" },
    "[log] said 1 {a: 2}",
  ],
  ["console_error", { level: "error", text: "two\nlines", args: ["two\nlines"] }, "[error] two\nlines"],
  [
    "console_error",
    { text: "Uncaught Error: x", line: 2, column: 4, source_url: "https://a.example/a.js" },
    "[error] Uncaught Error: x (https://a.example/a.js:3:5)",
  ],
  ["console_error", { text: "Uncaught 1", line: 0, column: 0, source_url: "" }, "[error] Uncaught 1"],
  ["page_crashed", { url: "https://a.example/" }, "[crash] The page crashed: https://a.example/"],
  ["service_crashed", { service_name: "chromium" }, "[crash] The browser crashed"],
  ["monitor_events_dropped", { what: "console", count: 7 }, "[7 console messages were dropped]"],
  ["monitor_events_dropped", { what: "network", count: 7 }, undefined],
  ["page_navigation", { url: "https://a.example/" }, undefined],
  ["session_ended", undefined, undefined],
])("the event %s with %j is the line %j", (type, data, message) => {
  expect(toLogLine({ type, data, ts: 5 })).toEqual(message === undefined ? undefined : { message, ts: 5 });
});

it("a line has at most 64 KiB", () => {
  const data = { level: "log", text: "x", args: Array.from({ length: 20 }, () => "x".repeat(4096)) };
  expect(toLogLine({ type: "console_log", data, ts: 5 })?.message.length).toBe(64 * 1024);
});
