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
