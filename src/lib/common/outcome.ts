import { type ErrorRecord, ServiceError } from "./errors.ts";

/**
 * The result of a Durable Object's method. The platform logs an exception that leaves a method as a crash and
 * drops its class, so refusals such as 404 are values.
 */
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
