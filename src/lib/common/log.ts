import { DrizzleQueryError } from "drizzle-orm";

/** Never log tokens, keys, URLs with queries or request bodies. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export function logEvent(event: string, fields: LogFields = {}): void {
  console.log(JSON.stringify({ event, ...fields }));
}

export function logError(event: string, error: unknown, fields: LogFields = {}): void {
  console.error(JSON.stringify({ event, ...fields, error: describeError(error), stack: stackFrames(error) }));
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The message of a failed query holds its bound values, which may be secret.
  const message = error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : error.message;
  return error.cause === undefined ? message : `${message}: ${describeError(error.cause)}`;
}

function stackFrames(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.stack
    ?.split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}
