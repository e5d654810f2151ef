/** Values a log line may carry. Tokens, keys, URLs with queries and request bodies never belong in one. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

/** Writes one structured line: JSON with the event's name first. */
export function logEvent(event: string, fields: LogFields = {}): void {
  console.log(JSON.stringify({ event, ...fields }));
}

/** Writes one structured line about a failure, with the error's chain of messages and its stack. */
export function logError(event: string, error: unknown, fields: LogFields = {}): void {
  console.error(
    JSON.stringify({
      event,
      ...fields,
      error: describeError(error),
      stack: error instanceof Error ? error.stack : undefined,
    }),
  );
}

/** An error's message followed by those of its causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${describeError(error.cause)}`;
}
