import { AsyncLocalStorage } from "node:async_hooks";

/** Between two looks at the clock. */
const CHECKS_TOGETHER = 64;

/**
 * Outside of a request the clock stands still, and nothing can be scheduled: there checks are counted. So many take
 * about a second.
 */
const MOST_CHECKS_AT_LOADING = 20_000_000;

/** Whose code is running, where one Worker runs several at once. It is told when its code does not give way. */
export const watchedRun = new AsyncLocalStorage<{ fail: (error: Error) => void }>();

let checks = 0;
let stretchBegan: number | undefined;
let isOver = false;

/**
 * Makes the function that instrumented code calls in every loop and function. It throws once the code has run for
 * `limitMs` without letting anything else go on, and from then on at each call until the code gives way, so that no
 * `catch` goes on with the loop.
 */
export function watchLoops(limitMs: number): () => void {
  return () => {
    checks += 1;
    if (isOver || checks % CHECKS_TOGETHER === 0) look(limitMs);
  };
}

function look(limitMs: number): void {
  if (stretchBegan === undefined) beginStretch();
  if (stretchBegan === 0 ? checks < MOST_CHECKS_AT_LOADING : Date.now() - (stretchBegan ?? 0) < limitMs)
    return;
  isOver = true;
  const error = new Error(
    `The code ran for ${limitMs} ms without letting anything else go on (an endless loop?)`,
  );
  watchedRun.getStore()?.fail(error);
  throw error;
}

/** A stretch ends when the event loop comes round. */
function beginStretch(): void {
  stretchBegan = Date.now();
  if (stretchBegan === 0) return;
  setTimeout(() => {
    stretchBegan = undefined;
    isOver = false;
  }, 0);
}
