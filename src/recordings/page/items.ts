import type { ReplayDocument } from "../replay-document.ts";

type Event = ReplayDocument["events"][number]["event"];

/** An entry of the time line. */
export interface Item {
  /** Seconds since the start. */
  time: number;
  kind: string;
  text: string;
  isError: boolean;
}

const MAX_TEXT_LENGTH = 400;

const ERROR_TYPE = /error|failed|crash|oom/;

/** The fields of events that tell most, in reading order. */
const FIELDS = [
  "method",
  "status",
  "operation_id",
  "level",
  "text",
  "message",
  "error_text",
  "key",
  "selector",
  "title",
  "url",
  "reason",
];

/** The pages and events of a recording in the order of time. */
export function listItems({ recording, events }: ReplayDocument): Item[] {
  const pages = recording.chapters.map(({ time, title, url }) => ({
    time: time / 1000,
    kind: "page",
    text: [title, url].filter((part) => part !== "").join("\n") || "Blank page",
    isError: false,
  }));
  const others = events.map(({ event }) => ({
    time: Math.max(0, event.ts / 1_000_000 - recording.startedAt / 1000),
    kind: event.type.replaceAll("_", " "),
    text: describe(event),
    isError: isError(event),
  }));
  return [...pages, ...others].sort((first, second) => first.time - second.time);
}

/** @returns the error before or after a time, in seconds. */
export function findError(items: readonly Item[], time: number, direction: 1 | -1): Item | undefined {
  const errors = items.filter((item) => item.isError);
  // A jump to an error does not hit its time exactly.
  if (direction === 1) return errors.find((error) => error.time > time + 0.05);
  return errors.findLast((error) => error.time < time - 0.5);
}

/** @param seconds such as 3723.4, for 1:02:03. */
export function formatTime(seconds: number): string {
  const [hours, minutes, rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor);
  const pad = (value = 0) => String(value).padStart(2, "0");
  return hours ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}

function describe({ data = {} }: Event): string {
  const parts = FIELDS.flatMap((name) => {
    const value = data[name];
    return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
  });
  return parts.join(" ").slice(0, MAX_TEXT_LENGTH);
}

function isError({ type, data = {} }: Event): boolean {
  if (data.canceled === true) return false;
  const { status, level } = data;
  return ERROR_TYPE.test(type) || level === "error" || (typeof status === "number" && status >= 400);
}
