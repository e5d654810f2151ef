/** @example "fetch failed: connect ECONNREFUSED 127.0.0.1:8787" */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses, of which none answers.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(errorText).join(", ");
  return error.cause === undefined ? error.message : `${error.message}: ${errorText(error.cause)}`;
}
