const SHORTEST_MS = 500;
const LONGEST_MS = 10_000;

/**
 * How long to wait before connecting again: longer with each attempt that failed, and not the same for all
 * viewers, who lose a restarting service at the same moment. `random` is of Math.random().
 */
export function reconnectDelay(failedAttempts: number, random: number): number {
  const longest = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** failedAttempts);
  return Math.max(SHORTEST_MS, longest * (0.5 + random / 2));
}
