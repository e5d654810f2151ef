const FIRST_MS = 5000;
const MAX_DELAY_MS = 300_000;

/** The delay before the next launch: doubled by each failure, at least as long as the platform asks for. */
export function launchDelay(failures: number, retryAfterMs: number): number {
  return Math.max(retryAfterMs, Math.min(MAX_DELAY_MS, FIRST_MS * 2 ** (failures - 1)));
}
