import { expect, it } from "vitest";
import { eventTitle, type TelemetryEvent } from "../../../src/features/telemetry/index.ts";

it.each<[Partial<TelemetryEvent>, string]>([
  [{ category: "page", type: "page_navigation" }, "Navigated"],
  [{ category: "page", type: "page_tab_opened" }, "Tab opened"],
  [{ category: "interaction", type: "interaction_click" }, "Click"],
  [{ category: "connection", type: "live_view_connect" }, "Viewer joined"],
  [{ category: "control", type: "api_call", data: { operation_id: "createRecording" } }, "Create recording"],
  [{ category: "control", type: "api_call" }, "Api call"],
  [{ category: "console", type: "console_log", data: { level: "warning" } }, "Warning"],
  [{ category: "console", type: "console_log" }, "Log"],
  [{ source: { kind: "cdp", event: "Runtime.exceptionThrown" } }, "Uncaught"],
])("calls %j %s", (event, title) => {
  const error = { category: "console", type: "console_error", source: { kind: "cdp" } } as const;
  expect(eventTitle({ ...error, ...event })).toBe(title);
});
