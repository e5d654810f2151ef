import { DrizzleQueryError } from "drizzle-orm";

/** Values a log line may carry. Tokens, keys, URLs with queries and request bodies never belong in one. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

/** Writes one structured line: JSON with the event's name first. */
export function logEvent(event: string, fields: LogFields = {}): void {
  console.log(JSON.stringify({ event, ...fields }));
}

/** Writes one structured line about a failure, with the error's chain of messages and where it arose. */
export function logError(event: string, error: unknown, fields: LogFields = {}): void {
  console.error(JSON.stringify({ event, ...fields, error: describeError(error), stack: stackFrames(error) }));
}

/** An error's message followed by those of its causes. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The message of a failed query holds every value bound to it, which are the caller's.
  const message = error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : error.message;
  return error.cause === undefined ? message : `${message}: ${describeError(error.cause)}`;
}

/** A stack without its first lines, which repeat the message. */
function stackFrames(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.stack
    ?.split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}
