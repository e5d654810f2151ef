/** Used unless the caller announces its own time-out; the Kernel SDK's default is 60 seconds. */
const DEFAULT_WAIT_MS = 50_000;
const MAX_WAIT_MS = 90_000;

/** Time that is left for the response to arrive. */
const MAX_MARGIN_MS = 5000;

/**
 * How long an acquire waits for a browser, in milliseconds, so that the caller still listens for the
 * response.
 *
 * @param requestedSeconds the call's `acquire_timeout_seconds`.
 * @param clientTimeoutSeconds the X-Stainless-Timeout header, the Kernel SDK's own time-out.
 */
export function acquireWait(
  requestedSeconds: number | undefined,
  clientTimeoutSeconds: number | undefined,
): number {
  const requested = requestedSeconds === undefined ? DEFAULT_WAIT_MS : requestedSeconds * 1000;
  return Math.min(requested, maxWait(clientTimeoutSeconds));
}

function maxWait(clientTimeoutSeconds: number | undefined): number {
  if (clientTimeoutSeconds === undefined) return DEFAULT_WAIT_MS;
  const timeoutMs = clientTimeoutSeconds * 1000;
  return Math.min(timeoutMs - Math.min(MAX_MARGIN_MS, timeoutMs / 4), MAX_WAIT_MS);
}
