/** A failure that the person at the keyboard can do something about; its message says what. */
export class SetUpError extends Error {
  override name = "SetUpError";
}

/** Runs a script: a foreseeable failure is told without a stack trace, and ends it with exit code 1. */
export async function runScript(main: () => Promise<number>): Promise<never> {
  try {
    process.exit(await main());
  } catch (error) {
    console.error(error instanceof SetUpError ? `\n${error.message}` : error);
    process.exit(1);
  }
}
