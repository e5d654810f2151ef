/** A wanted browser. Times are milliseconds since the start of the day. */
export interface Arrival {
  id: string;
  organizationId: string;
  at: number;
  /** How long its session uses the browser. */
  useMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The organization that once asks for far more than its share. */
export const GREEDY = "o0";

/** When the greedy burst begins, and how long others are affected by it at most. */
export const BURST_AT_MS = 13 * HOUR_MS;
export const BURST_LASTS_MS = 15 * 60_000;

const BURST_SPREAD_MS = 10 * 60_000;

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Day {
  sessionsPerHour: number;
  organizations: number;
  /** The share of calls that come in batches of 5 to 44. */
  batchShare?: number;
  /** Requests of one organization within ten minutes. */
  burst?: number;
}

/** A bursty day: hourly rates, unequal organizations, batches, and a burst of one organization. */
export function makeDay(
  { sessionsPerHour, organizations, batchShare = 0.02, burst = 6000 }: Day,
  random: () => number,
): Arrival[] {
  const sizes = Array.from({ length: organizations }, (_, index) => 1 / (index + 3));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const pick = () => {
    let left = random() * total;
    return sizes.findIndex((size) => {
      left -= size;
      return left <= 0;
    });
  };
  const arrivals: Omit<Arrival, "id">[] = [];
  const wanted = sessionsPerHour * 24 - burst;
  while (arrivals.length < wanted) {
    const at = random() * DAY_MS;
    // From 0.4 at night to 1.6 at noon.
    const rate = 1 - 0.6 * Math.cos((2 * Math.PI * at) / DAY_MS);
    if (random() * 1.6 > rate) continue;
    const organizationId = `o${Math.max(0, pick())}`;
    const batch = random() < batchShare ? 5 + Math.floor(random() * 40) : 1;
    for (let index = 0; index < batch; index += 1) {
      arrivals.push({ organizationId, at: at + index * 20, useMs: useTime(random) });
    }
  }
  for (let index = 0; index < burst; index += 1) {
    const at = BURST_AT_MS + random() * BURST_SPREAD_MS;
    arrivals.push({ organizationId: GREEDY, at, useMs: useTime(random) });
  }
  return arrivals
    .toSorted((first, second) => first.at - second.at)
    .map((arrival, index) => ({ ...arrival, id: `s${index}` }));
}

/** Most sessions are short: 70 seconds on average. */
function useTime(random: () => number): number {
  return 10_000 - 60_000 * Math.log(1 - random());
}
