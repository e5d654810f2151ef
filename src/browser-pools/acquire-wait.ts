/** The longest wait of a caller who does not say how long they listen: the Kernel SDK does for 60 seconds. */
const MAX_DELAY_MS = 50_000;

/** The longest wait of all. */
const MAX_ANNOUNCED_MS = 90_000;

/** What is kept back of the time that a caller listens, for the answer to arrive. */
const MAX_MARGIN_MS = 5000;

/**
 * How long an acquire waits for a browser, in milliseconds, so that its caller is still there when it is answered.
 *
 * @param askedSeconds the call's `acquire_timeout_seconds`.
 * @param listensSeconds the X-Stainless-Timeout header, with which the Kernel SDK says how long it listens.
 */
export function acquireWait(askedSeconds: number | undefined, listensSeconds: number | undefined): number {
  const asked = askedSeconds === undefined ? MAX_DELAY_MS : askedSeconds * 1000;
  return Math.min(asked, longestWait(listensSeconds));
}

function longestWait(listensSeconds: number | undefined): number {
  if (listensSeconds === undefined) return MAX_DELAY_MS;
  const listensMs = listensSeconds * 1000;
  const margin = Math.min(MAX_MARGIN_MS, listensMs / 4);
  return Math.min(listensMs - margin, MAX_ANNOUNCED_MS);
}
