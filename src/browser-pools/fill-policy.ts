/** Browsers of one pool that are launched at the same time. The platform allows three launches a second per account. */
export const MAX_CONCURRENT_LAUNCHES = 3;

const MINUTE_MS = 60_000;

/** What a pool remembers of its filling. Times are milliseconds since the epoch. */
export interface FillState {
  /** Before this moment the fill rate allows no further browser. */
  nextAt: number;
  /** Since when browsers are missing; null: none are. */
  lackingSince: number | null;
  /** Browsers that are launched whatever the fill rate, in the place of those that were discarded. */
  owed: number;
  /** Launches that failed since the last one that did not. */
  failures: number;
  /** Until when no launch is tried, because the last one failed. */
  backOffUntil: number;
}

export const NEW_FILL_STATE: FillState = {
  nextAt: 0,
  lackingSince: null,
  owed: 0,
  failures: 0,
  backOffUntil: 0,
};

/** How a pool stands. */
export interface Stock {
  /** Browsers that it is to have. */
  size: number;
  /** Browsers that it has, those included that are being launched or are not closed yet. */
  existing: number;
  /** How many of them will not stay. */
  leaving: number;
  launching: number;
  /** Percentage of the size; 0: it is not filled. */
  fillRatePerMinute: number;
}

export interface FillPlan {
  /** Browsers to launch now. */
  launches: number;
  /** How many of them were owed. */
  owed: number;
  state: FillState;
  /** When to plan again although nothing else has happened; undefined: never. */
  wakeAt: number | undefined;
}

/**
 * How many browsers a pool launches now: one at once when the first is missing, and from then on as many per minute as
 * the fill rate says, evenly spread. What is missing because it was discarded on purpose is launched at once. After a
 * time without planning, as while the service was down, what should have been launched meanwhile is launched at once.
 */
export function planFill(stock: Stock, before: FillState, now: number): FillPlan {
  const missing = Math.max(0, stock.size - stock.existing);
  const interval = fillInterval(stock);
  const state: FillState = {
    ...before,
    owed: Math.min(before.owed, Math.max(0, stock.size - (stock.existing - stock.leaving))),
    lackingSince: missing === 0 || interval === undefined ? null : (before.lackingSince ?? now),
  };
  if (missing === 0) return { launches: 0, owed: 0, state, wakeAt: undefined };
  if (now < before.backOffUntil) return { launches: 0, owed: 0, state, wakeAt: before.backOffUntil };

  // After a failure one shows whether launches succeed again.
  const room = Math.max(0, (before.failures > 0 ? 1 : MAX_CONCURRENT_LAUNCHES) - stock.launching);
  const atOnce = Math.min(state.owed, missing, room);
  state.owed -= atOnce;
  if (interval === undefined) return { launches: atOnce, owed: atOnce, state, wakeAt: undefined };

  // A rate that was raised counts from now on.
  const dueFrom = Math.max(Math.min(before.nextAt, now + interval), state.lackingSince ?? now);
  const due = now < dueFrom ? 0 : 1 + Math.floor((now - dueFrom) / interval);
  const evenly = Math.min(due, Math.max(0, missing - atOnce - state.owed), room - atOnce);
  state.nextAt = dueFrom + evenly * interval;
  if (missing === atOnce + evenly) state.lackingSince = null;
  // Where there was no room, the next launch that is through makes some.
  const isWaiting = missing > atOnce + state.owed + evenly && state.nextAt > now;
  const wakeAt = isWaiting ? Math.ceil(state.nextAt) : undefined;
  return { launches: atOnce + evenly, owed: atOnce, state, wakeAt };
}

/** Time between two browsers in milliseconds; undefined where the pool is not filled. */
function fillInterval({ size, fillRatePerMinute }: Stock): number | undefined {
  const perMinute = (size * fillRatePerMinute) / 100;
  return perMinute === 0 ? undefined : MINUTE_MS / perMinute;
}
