const FIRST_MS = 5000;
const MAX_DELAY_MS = 300_000;

/**
 * The delay before the next launch after a number of failures. It doubles each time, and is never shorter
 * than what the platform asks for.
 */
export function launchDelay(failures: number, retryAfterMs: number): number {
  return Math.max(retryAfterMs, Math.min(MAX_DELAY_MS, FIRST_MS * 2 ** (failures - 1)));
}
