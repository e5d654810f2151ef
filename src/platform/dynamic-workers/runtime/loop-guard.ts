import { claimOnce } from "./claim-once.ts";

// Saved before user code can replace them.
const now = Date.now;
const schedule = setTimeout;
const NativeError = Error;
const min = Math.min;

/** The clock stays at 0 while modules load, so checks are counted. An empty loop makes these in 20 ms. */
const MAX_CHECKS_WHILE_LOADING = 3_000_000;

const CLOCK_INTERVAL_MS = 1;
const MAX_BATCH_SIZE = 1024;

/** In a longer gap, the machine ran something else, or the code called a native function such as a sort. */
const MAX_COUNTED_GAP_MS = 3;
/** The total time that code may run, as a multiple of its limit, including uncounted gaps. */
const MAX_UNCOUNTED_FACTOR = 10;

let checksLeft = 0;
let batchSize = 1;
let checksWhileLoading = 0;
let lastClockAt = 0;
/** Start of the current turn of the event loop; undefined before its first check. */
let turnStartedAt: number | undefined;
let countedMs = 0;
let overrun: Error | undefined;
let unreported: Error | undefined;
/** After the end of a run, each check throws. */
let isOver = false;
let report: (error: Error) => void = () => {};

/** @returns ends the run: each later check throws, which also stops work that `waitUntil` keeps alive. */
function watchRun(onOverrun: (error: Error) => void): () => void {
  report = onOverrun;
  isOver = false;
  overrun = undefined;
  unreported = undefined;
  // The turn continues: otherwise code could run forever by calling the runner's entrypoint in a loop.
  schedule(endTurn, 0);
  return () => {
    isOver = true;
    checksLeft = 0;
  };
}

export const claimWatchRun = claimOnce(watchRun);

/** Throws at each check until the turn ends, so that a `catch` cannot continue the loop. */
function watchLoops(limitMs: number): () => void {
  return () => {
    if (--checksLeft < 0) checkClock(limitMs);
  };
}

export const claimWatchLoops = claimOnce(watchLoops);

function checkClock(limitMs: number): void {
  if (isOver) throw new NativeError("The run of this code is over");
  const at = now();
  if (at === 0) {
    checksWhileLoading += batchSize;
    batchSize = MAX_BATCH_SIZE;
    if (checksWhileLoading > MAX_CHECKS_WHILE_LOADING) stop("The code looped too long while it was loaded");
  } else {
    if (turnStartedAt === undefined) startTurn(at);
    else {
      countedMs += min(at - lastClockAt, MAX_COUNTED_GAP_MS);
      if (countedMs >= limitMs || at - turnStartedAt >= MAX_UNCOUNTED_FACTOR * limitMs) {
        stop(`The code blocked the event loop for ${limitMs} ms`);
      }
    }
    if (at - lastClockAt >= CLOCK_INTERVAL_MS) batchSize = 1;
    else if (batchSize < MAX_BATCH_SIZE) batchSize *= 2;
    lastClockAt = at;
  }
  checksLeft = batchSize;
}

function startTurn(at: number): void {
  turnStartedAt = at;
  countedMs = 0;
  schedule(endTurn, 0);
}

function endTurn(): void {
  turnStartedAt = undefined;
  if (unreported !== undefined) report(unreported);
  overrun = undefined;
  unreported = undefined;
}

function stop(reason: string): never {
  checksLeft = 0;
  if (overrun === undefined) {
    overrun = new NativeError(`${reason} (an endless loop?)`);
    unreported = overrun;
    try {
      report(overrun);
      unreported = undefined;
    } catch {
      // If no stack is left, `endTurn` reports it.
    }
  }
  throw overrun;
}
