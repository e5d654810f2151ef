const MIN_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;

/** The delay grows with each failure, and is random because all viewers lose a restarting service at once. */
export function reconnectDelay(failedAttempts: number, random: number): number {
  const longest = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** failedAttempts);
  return Math.max(MIN_DELAY_MS, longest * (0.5 + random / 2));
}
