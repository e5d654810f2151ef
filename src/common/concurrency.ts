/** Waits for all, also when one fails, so that nothing is still under way when the first failure is thrown. */
export async function allDone(works: Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) {
    if (result.status === "rejected") throw result.reason;
  }
}

/** Works through items, `limit` at a time. What fails for one is told to `onFailure` and stops no other. */
export async function eachConcurrently<T>(
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

/** What a promise resolves to, or undefined when that takes longer. The promise itself goes on. */
export async function withinTime<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), milliseconds);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves after so many milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
