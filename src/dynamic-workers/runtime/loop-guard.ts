import { forFirstTaker } from "./first-taker.ts";

// Taken before other people's code runs, which may put something else in their place.
const now = Date.now;
const afterThis = setTimeout;
const NativeError = Error;
const smaller = Math.min;

/** While modules load, the clock stands at 0. Then checks are counted: so many take 20 ms of an empty loop. */
const MAX_CHECKS_AT_LOADING = 3_000_000;

/** Two looks at the clock are to be about this far apart, whatever the code does between them, in milliseconds. */
const LOOK_INTERVAL_MS = 1;
const MAX_CHECKS_TOGETHER = 1024;

/**
 * A gap between two looks counts as this much at most, in milliseconds: in a longer one the machine ran something else,
 * or the code did work of the runtime's own, such as sorting.
 */
const MAX_COUNTED_GAP_MS = 3;
/** How much longer than its limit code may run when gaps are not counted. */
const MAX_UNCOUNTED_FACTOR = 10;

let checksLeft = 0;
let checksTogether = 1;
let checksAtLoading = 0;
let lastLook = 0;
/** When the code last gave way; undefined while it has not run since. */
let stretchBegan: number | undefined;
/** Milliseconds of this stretch, as far as they count. */
let countedMs = 0;
/** What the code was stopped with in this stretch. */
let overrun: Error | undefined;
/** The same, while nobody has been told of it. */
let untold: Error | undefined;
/** Whether nothing of the last run may go on. */
let isOver = false;
let tell: (error: Error) => void = () => {};

/**
 * Begins to watch a run. It is told when its code does not give way. One Worker runs one at a time.
 *
 * @returns ends the run: from then on each check throws, so that what is left under way, as what `waitUntil` keeps, ends
 * with its next step.
 */
function watchRun(onOverrun: (error: Error) => void): () => void {
  tell = onOverrun;
  isOver = false;
  overrun = undefined;
  untold = undefined;
  // A stretch that an earlier run has left ends when the event loop comes round, and not now: code may call the
  // runner's entrypoint by itself, and would go on for ever by doing that in its loop.
  afterThis(endStretch, 0);
  return () => {
    isOver = true;
    checksLeft = 0;
  };
}

/** For the runner. */
export const takeWatchRun = forFirstTaker(watchRun);

/**
 * Makes the function that instrumented code calls in every loop and function. It throws once the code has run for
 * `limitMs` without letting anything else go on, and from then on at each call until the code gives way, so that no
 * `catch` goes on with the loop.
 */
function watchLoops(limitMs: number): () => void {
  return () => {
    if (--checksLeft < 0) look(limitMs);
  };
}

/** For the one module that is instrumented, which begins with that. */
export const takeWatchLoops = forFirstTaker(watchLoops);

function look(limitMs: number): void {
  if (isOver) throw new NativeError("The run of this code is over");
  const at = now();
  if (at === 0) {
    checksAtLoading += checksTogether;
    checksTogether = MAX_CHECKS_TOGETHER;
    if (checksAtLoading > MAX_CHECKS_AT_LOADING) stop("The code looped too long while it was loaded");
  } else {
    if (stretchBegan === undefined) beginStretch(at);
    else {
      countedMs += smaller(at - lastLook, MAX_COUNTED_GAP_MS);
      if (countedMs >= limitMs || at - stretchBegan >= MAX_UNCOUNTED_FACTOR * limitMs) {
        stop(`The code ran for ${limitMs} ms without letting anything else go on`);
      }
    }
    if (at - lastLook >= LOOK_INTERVAL_MS) checksTogether = 1;
    else if (checksTogether < MAX_CHECKS_TOGETHER) checksTogether *= 2;
    lastLook = at;
  }
  checksLeft = checksTogether;
}

/** A stretch ends when the event loop comes round. */
function beginStretch(at: number): void {
  stretchBegan = at;
  countedMs = 0;
  afterThis(endStretch, 0);
}

function endStretch(): void {
  stretchBegan = undefined;
  if (untold !== undefined) tell(untold);
  overrun = undefined;
  untold = undefined;
}

/** The next call looks again, and throws again. */
function stop(reason: string): never {
  checksLeft = 0;
  if (overrun === undefined) {
    overrun = new NativeError(`${reason} (an endless loop?)`);
    untold = overrun;
    try {
      tell(overrun);
      untold = undefined;
    } catch {
      // No stack is left to tell anything on: it is told when the code has given way.
    }
  }
  throw overrun;
}
