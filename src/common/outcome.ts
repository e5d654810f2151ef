import { type ErrorRecord, ServiceError } from "./errors.ts";

/**
 * The result of a call to a Durable Object that may be refused.
 *
 * An exception that leaves a Durable Object's method is logged by the platform as the object's crash and
 * loses its class on the way. A refusal such as 404 is neither, so it travels as a value.
 */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: ErrorRecord };

/** Runs `work`; a {@link ServiceError} becomes a value, any other error is thrown on. */
export async function settle<T>(work: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, error: error.toRecord() };
    throw error;
  }
}

/** The value of an outcome; a refusal is thrown as the {@link ServiceError} it was. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw ServiceError.fromRecord(outcome.error);
}
