import type { Schemas } from "../../api/client.ts";

export type SessionEvent = Schemas["TelemetryEvent"];

/** More would make the views slow. */
export const MAX_EVENTS = 5000;

/** Longer texts are cut where they are shown. */
const MAX_SHOWN_LENGTH = 20_000;
const MAX_ROW_LENGTH = 400;

/** Adds events in the order of their numbers, and keeps the latest. */
export function mergeEvents(known: readonly SessionEvent[], added: readonly SessionEvent[]): SessionEvent[] {
  const bySeq = new Map([...known, ...added].map((item) => [item.seq, item]));
  return [...bySeq.values()].sort((first, second) => first.seq - second.seq).slice(-MAX_EVENTS);
}

/** Milliseconds since the epoch. */
export function timeOf({ event }: SessionEvent): number {
  return event.ts / 1000;
}

/** A field of an event as text; empty unless it is a text or a number. */
export function field(data: Record<string, unknown> | undefined, name: string): string {
  const value = data?.[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text that fits into a row. */
export function toRow(text: string): string {
  return text.length > MAX_ROW_LENGTH ? `${text.slice(0, MAX_ROW_LENGTH)}…` : text;
}

/** A text that is cut only when it would slow down the view. */
export function toShown(text: string): string {
  const rest = text.length - MAX_SHOWN_LENGTH;
  return rest > 0 ? `${text.slice(0, MAX_SHOWN_LENGTH)}\n… ${rest} more characters are not shown` : text;
}

/** Time since the start of the session, such as `1:02.3`. */
export function formatOffset(milliseconds: number): string {
  const tenths = Math.max(0, Math.round(milliseconds / 100));
  const [hours, minutes, seconds] = [tenths / 36_000, (tenths / 600) % 60, (tenths / 10) % 60].map(
    Math.floor,
  );
  const pad = (value = 0) => String(value).padStart(2, "0");
  const start = hours ? `${hours}:${pad(minutes)}` : String(minutes);
  return `${start}:${pad(seconds)}.${tenths % 10}`;
}

/** The frames of a recorded stack, one per line. Lines and columns count from 1. */
export function formatStack(stack: unknown): string {
  const frames = isRecord(stack) && Array.isArray(stack.callFrames) ? stack.callFrames.filter(isRecord) : [];
  return frames
    .map((frame) => {
      const line = Number(frame.lineNumber) + 1;
      const column = Number(frame.columnNumber) + 1;
      return `at ${field(frame, "functionName") || "(anonymous)"} (${field(frame, "url")}:${line}:${column})`;
    })
    .join("\n");
}

/** The address as a link's target, unless it could run a script or leave the web. */
export function toLink(url: string): string | undefined {
  return /^https?:\/\//i.test(url) ? url : undefined;
}
