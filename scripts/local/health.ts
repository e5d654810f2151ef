import { setTimeout } from "node:timers/promises";
import { SetUpError } from "./set-up-error.ts";

const PAUSE_MS = 50;
const TIMEOUT_MS = 120_000;

/**
 * Waits until the service answers /health.
 *
 * @throws SetUpError when it answers that it is not well, or not at all. An abort throws the signal's reason.
 */
export async function untilHealthy(url: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const response = await fetch(`${url}/health`, { signal }).catch(() => undefined);
    if (response?.ok) return;
    if (response !== undefined) {
      throw new SetUpError(
        `The service is not well: GET /health answers ${response.status} ${await response.text()}`,
      );
    }
    await setTimeout(PAUSE_MS);
  }
  throw new SetUpError(`The service does not answer within ${TIMEOUT_MS / 1000} s.`);
}
