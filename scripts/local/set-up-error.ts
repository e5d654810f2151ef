/** A failure that the user can fix; the message says how. */
export class SetUpError extends Error {
  override name = "SetUpError";
}

/** Runs a script and exits. A SetUpError is printed without a stack trace. */
export async function runScript(main: () => Promise<number>): Promise<never> {
  try {
    process.exit(await main());
  } catch (error) {
    console.error(error instanceof SetUpError ? `\n${error.message}` : error);
    process.exit(1);
  }
}

/** @example "fetch failed: connect ECONNREFUSED 127.0.0.1:8787" */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses, of which none answers.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(errorText).join(", ");
  return error.cause === undefined ? error.message : `${error.message}: ${errorText(error.cause)}`;
}
