const LONGEST_MS = 60_000;

/** How often a browser is sent a command so that the platform, which waits for one so long, keeps it. */
export function longestPingInterval(keepAliveMs: number): number {
  return Math.min(LONGEST_MS, keepAliveMs / 3);
}
