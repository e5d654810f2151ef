import { type ErrorRecord, ServiceError } from "./errors.ts";

/** The result of an object's method. A thrown refusal such as 404 is logged as a crash without its class. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: ErrorRecord };

/**
 * Converts a thrown {@link ServiceError} to a value and rethrows other errors.
 *
 * @example
 * return settle(() => this.#flush(caller));
 */
export async function settle<T>(work: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, error: error.toRecord() };
    throw error;
  }
}

export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw ServiceError.fromRecord(outcome.error);
}
