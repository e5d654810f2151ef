/** How often sessions were created lately: an average in which earlier ones count less and less. */
export interface Arrivals {
  perMs: number;
  /** The last one, in milliseconds since the epoch. */
  at: number;
}

/** After this time, a session counts 1/e. */
const MEMORY_MS = 60_000;

/** So many standard deviations above the expected number of sessions, about 95 % find a browser ready. */
const DEVIATIONS = 1.65;

/** The share of the browsers that the platform allows. */
const MAX_SHARE = 0.25;

export function addArrival({ perMs, at }: Arrivals, now: number): Arrivals {
  return { perMs: perMs * Math.exp((at - now) / MEMORY_MS) + 1 / MEMORY_MS, at: now };
}

interface StandbySettings {
  count: number | "auto";
  idleMs: number;
  minimum: number;
}

interface Situation {
  arrivals: Arrivals;
  /** How long a launch takes. */
  launchMs: number;
  /** The browsers that the platform allows. */
  maxBrowsers: number;
  now: number;
}

/**
 * How many standby browsers to keep: as many as sessions will probably be created while a browser launches,
 * at least one while sessions are created, and none once there was none for `idleMs`.
 */
export function wantedStandby(
  { count, idleMs, minimum }: StandbySettings,
  { arrivals: { perMs, at }, launchMs, maxBrowsers, now }: Situation,
): number {
  if (count !== "auto") return count;
  const expected = perMs * Math.exp((at - now) / MEMORY_MS) * launchMs;
  const wanted = now - at < idleMs ? Math.max(1, Math.ceil(expected + DEVIATIONS * Math.sqrt(expected))) : 0;
  return Math.min(Math.max(wanted, minimum), Math.max(1, Math.floor(maxBrowsers * MAX_SHARE)));
}
