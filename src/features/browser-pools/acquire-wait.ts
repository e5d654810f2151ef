/** Used unless the caller announces its own time-out; the Kernel SDK's default is 60 seconds. */
const DEFAULT_WAIT_MS = 50_000;
const MAX_WAIT_MS = 90_000;

/** Time that is left for the response to arrive. */
const MAX_MARGIN_MS = 5000;

/** Milliseconds to wait while the caller still listens, by the Kernel SDK's header X-Stainless-Timeout. */
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
