/** An object whose only activity is an outgoing socket is evicted after 70 to 140 seconds without an event. */
const MAX_PING_INTERVAL_MS = 40_000;

/** How often a browser is sent a command, so that the platform keeps it and the object that is connected to it. */
export function longestPingInterval(keepAliveMs: number): number {
  return Math.min(MAX_PING_INTERVAL_MS, keepAliveMs / 3);
}
