import { logError } from "./log.ts";

/** Like `Promise.all`, but waits for all promises before it throws the first failure. */
export async function settleAll(works: Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) {
    if (result.status === "rejected") throw result.reason;
  }
}

/**
 * A failure does not stop the other items.
 *
 * @example
 * const onError = (error: unknown) => logError("sweep_step_failed", error);
 * await forEachConcurrently(ids, 6, (id) => deleteProfile(id), onError);
 */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<unknown>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      await work(next.value).catch(onFailure);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

const USUAL_CONCURRENCY = 6;

/** Works on a few items at a time. A failure is logged as `event` and does not stop the other items. */
export function forEachLogged<T>(
  event: string,
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  return forEachConcurrently(items, USUAL_CONCURRENCY, work, (error) => logError(event, error));
}

/** Resolves to undefined after a time-out. The promise is not cancelled. */
export async function resolveWithin<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), milliseconds);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
