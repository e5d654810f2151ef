const FIRST_MS = 5000;
const MAX_DELAY_MS = 300_000;

/**
 * How long after so many failed launches, one or more, the next is tried: twice as long each time, and never sooner
 * than the platform asks for.
 */
export function launchDelay(failures: number, retryAfterMs: number): number {
  return Math.max(retryAfterMs, Math.min(MAX_DELAY_MS, FIRST_MS * 2 ** (failures - 1)));
}
