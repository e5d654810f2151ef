import { logError } from "./log.ts";

const USUAL_CONCURRENCY = 6;

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
 * await forEachConcurrently(ids, (id) => deleteProfile(id), onError);
 */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  onFailure: (error: unknown) => void,
  limit = USUAL_CONCURRENCY,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      await work(next.value).catch(onFailure);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

/** Works on a few items at a time. A failure is logged as `event` and does not stop the other items. */
export function forEachLogged<T>(
  event: string,
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  return forEachConcurrently(items, work, (error) => logError(event, error));
}

/** For the items that a sweep has found. */
export function sweepEach<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  return forEachLogged("sweep_step_failed", items, work);
}

/** Takes the steps of a sweep in turn. A failure is logged and does not stop the other steps. */
export async function sweepInSteps(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const step of steps) await step().catch((error) => logError("sweep_step_failed", error));
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

/** Like {@link resolveWithin}, and undefined after a failure. */
export function tryWithin<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const tried = promise.catch(() => undefined);
  return resolveWithin(tried, milliseconds);
}

/** A function whose concurrent calls share one run of the work. */
export function sharing<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
