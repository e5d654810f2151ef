import { setTimeout } from "node:timers/promises";
import { SetUpError } from "./set-up-error.ts";

const POLL_INTERVAL_MS = 50;
const TIMEOUT_MS = 120_000;

/** @throws SetUpError when the service is unhealthy or silent, and the signal's reason on an abort. */
export async function waitUntilHealthy(url: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const response = await fetch(`${url}/health`, { signal }).catch(() => undefined);
    if (response?.ok) return;
    if (response !== undefined) {
      throw new SetUpError(
        `The service is unhealthy: GET /health responded with ${response.status} ${await response.text()}`,
      );
    }
    await setTimeout(POLL_INTERVAL_MS);
  }
  throw new SetUpError(`The service did not respond within ${TIMEOUT_MS / 1000} s.`);
}
