/** Per pool. The platform allows three launches a second per account. */
export const MAX_CONCURRENT_LAUNCHES = 3;

const MINUTE_MS = 60_000;

/** Times are milliseconds since the epoch. */
export interface FillState {
  /** The fill rate allows the next browser at this time. */
  nextAt: number;
  /** Time since which browsers are missing; null: none. */
  lackingSince: number | null;
  /** Browsers to launch regardless of the fill rate, in place of discarded ones. */
  owed: number;
  failures: number;
  backOffUntil: number;
}

export const NEW_FILL_STATE: FillState = {
  nextAt: 0,
  lackingSince: null,
  owed: 0,
  failures: 0,
  backOffUntil: 0,
};

export interface PoolCounts {
  size: number;
  /** Includes browsers that are launching or closing. */
  existing: number;
  /** Browsers that are about to end. */
  leaving: number;
  launching: number;
  fillRatePerMinute: number;
}

export interface FillPlan {
  launches: number;
  owed: number;
  state: FillState;
  /** When to plan again; undefined: after the next event. */
  wakeAt: number | undefined;
}

/**
 * Launches the first missing browser at once, the others evenly at the fill rate, and replacements of
 * discarded browsers at once. Missed launches, for example while the service was down, are made up for.
 */
export function planFill(counts: PoolCounts, before: FillState, now: number): FillPlan {
  const missing = Math.max(0, counts.size - counts.existing);
  const interval = fillIntervalMs(counts);
  const state: FillState = {
    ...before,
    owed: Math.min(before.owed, Math.max(0, counts.size - (counts.existing - counts.leaving))),
    lackingSince: missing === 0 || interval === undefined ? null : (before.lackingSince ?? now),
  };
  if (missing === 0) return { launches: 0, owed: 0, state, wakeAt: undefined };
  if (now < before.backOffUntil) return { launches: 0, owed: 0, state, wakeAt: before.backOffUntil };

  // After a failure, a single launch probes whether launches succeed again.
  const room = Math.max(0, (before.failures > 0 ? 1 : MAX_CONCURRENT_LAUNCHES) - counts.launching);
  const immediate = Math.min(state.owed, missing, room);
  state.owed -= immediate;
  if (interval === undefined) return { launches: immediate, owed: immediate, state, wakeAt: undefined };

  // A raised fill rate applies at once.
  const dueFrom = Math.max(Math.min(before.nextAt, now + interval), state.lackingSince ?? now);
  const due = now < dueFrom ? 0 : 1 + Math.floor((now - dueFrom) / interval);
  const scheduled = Math.min(due, Math.max(0, missing - immediate - state.owed), room - immediate);
  state.nextAt = dueFrom + scheduled * interval;
  if (missing === immediate + scheduled) state.lackingSince = null;
  // Without room, the next finished launch plans again.
  const isWaiting = missing > immediate + state.owed + scheduled && state.nextAt > now;
  const wakeAt = isWaiting ? Math.ceil(state.nextAt) : undefined;
  return { launches: immediate + scheduled, owed: immediate, state, wakeAt };
}

function fillIntervalMs({ size, fillRatePerMinute }: PoolCounts): number | undefined {
  const perMinute = (size * fillRatePerMinute) / 100;
  return perMinute === 0 ? undefined : MINUTE_MS / perMinute;
}
