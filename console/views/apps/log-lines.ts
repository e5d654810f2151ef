export interface LogLine {
  number: number;
  /** ISO 8601. */
  at: string;
  text: string;
  isError?: boolean;
}

/** The service keeps the last 1,000 lines; more come while a log is followed. */
const MAX_LINES = 2000;

/** The last lines, numbered on. */
export function addLine(lines: readonly LogLine[], added: Omit<LogLine, "number">): LogLine[] {
  return [...lines, { ...added, number: (lines.at(-1)?.number ?? 0) + 1 }].slice(-MAX_LINES);
}

/** A text in parts, of which each second one matches. A search ignores case. */
export function splitMatches(text: string, search: string): string[] {
  if (search === "") return [text];
  return text.split(new RegExp(`(${search.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")})`, "gi"));
}

export function formatLog(lines: readonly LogLine[]): string {
  return lines.map(({ at, text }) => `${at} ${text}`).join("\n");
}
