import { cut } from "../../lib/common/cut.ts";
import type { TelemetryEvent } from "./event.ts";

const MAX_LINE_LENGTH = 64 * 1024;

/** A line of the browser's log. */
export interface LogLine {
  message: string;
  /** Microseconds since the epoch. */
  ts: number;
}

/** @returns undefined for an event that is not part of the browser's log. */
export function toLogLine(event: Pick<TelemetryEvent, "type" | "ts" | "data">): LogLine | undefined {
  const message = toMessage(event.type, event.data ?? {});
  return message === undefined ? undefined : { message: cut(message, MAX_LINE_LENGTH), ts: event.ts };
}

function toMessage(type: string, data: Record<string, unknown>): string | undefined {
  switch (type) {
    case "console_log":
    case "console_error": {
      const { level = "error", text, args, source_url, line, column } = data;
      const place = source_url ? ` (${source_url}:${Number(line) + 1}:${Number(column) + 1})` : "";
      return `[${level}] ${Array.isArray(args) ? args.join(" ") : text}${place}`;
    }
    case "page_crashed":
      return `[crash] The page crashed: ${data.url}`;
    case "service_crashed":
      return "[crash] The browser crashed";
    case "monitor_events_dropped":
      return data.what === "console" ? `[${data.count} console messages were dropped]` : undefined;
    default:
      return undefined;
  }
}
