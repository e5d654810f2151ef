const MIN_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;

/**
 * How long to wait before connecting again: longer with each attempt that failed, and not the same for all
 * viewers, who lose a restarting service at the same moment. `random` is of Math.random().
 */
export function reconnectDelay(failedAttempts: number, random: number): number {
  const longest = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** failedAttempts);
  return Math.max(MIN_DELAY_MS, longest * (0.5 + random / 2));
}
