import { field, formatStack, type SessionEvent, timeOf } from "./events.ts";

export const LEVELS = ["error", "warning", "info", "log", "debug"] as const;

type Level = (typeof LEVELS)[number];

export interface ConsoleEntry {
  id: number;
  at: number;
  level: Level;
  text: string;
  /** Where it was written, such as `https://example.com/app.js:3:14`. */
  source: string;
  stack: string;
  /** An error that no code caught. */
  isUncaught: boolean;
  isCut: boolean;
}

export function toConsole(events: readonly SessionEvent[]): ConsoleEntry[] {
  return events.flatMap((item) => {
    const { category, source, data, truncated = false } = item.event;
    if (category !== "console") return [];
    const isUncaught = source.event === "Runtime.exceptionThrown";
    const stack = formatStack(data);
    const texts = Array.isArray(data?.args) ? data.args.map(String) : [field(data, "text")];
    return [
      {
        id: item.seq,
        at: timeOf(item),
        level: isUncaught ? "error" : toLevel(field(data, "level")),
        text: texts.join(" "),
        source: isUncaught ? placeOf(data) : (/^at .*\((.+)\)$/m.exec(stack)?.[1] ?? ""),
        stack,
        isUncaught,
        isCut: truncated,
      },
    ];
  });
}

function placeOf(data: Record<string, unknown> | undefined): string {
  const url = field(data, "source_url");
  return url && `${url}:${Number(field(data, "line")) + 1}:${Number(field(data, "column")) + 1}`;
}

function toLevel(level: string): Level {
  if (level === "assert") return "error";
  return LEVELS.find((known) => known === level) ?? "log";
}

export function filterConsole(
  entries: readonly ConsoleEntry[],
  { levels, text }: { levels: readonly string[]; text: string },
): ConsoleEntry[] {
  const wanted = text.toLowerCase();
  return entries.filter(
    (entry) =>
      (levels.length === 0 || levels.includes(entry.level)) &&
      `${entry.text} ${entry.source}`.toLowerCase().includes(wanted),
  );
}
