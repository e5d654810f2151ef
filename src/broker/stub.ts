import { ServiceError } from "../common/errors.ts";
import { logError } from "../common/log.ts";
import { unwrap } from "../common/outcome.ts";
import type { Region } from "../common/regions.ts";
import type { AcquiredBrowser } from "./launcher.ts";
import type { BrowserBroker, LaunchRequest } from "./object.ts";

/** The broker of a region, which runs there; null: of the sessions without a region. */
export function brokerOf(env: Env, region: Region | null): DurableObjectStub<BrowserBroker> {
  return env.BROWSER_BROKER.getByName(region ?? "default", region === null ? {} : { locationHint: region });
}

/**
 * Gets a browser for a session; see `BrowserBroker.acquire`.
 *
 * @throws ServiceError 429 or 503.
 *
 * @example
 * const { browserId } = await acquireForSession(env, { sessionId, region: null, organizationId, weight: 1, kind: "session", allowsStandby: true });
 */
export async function acquireForSession(env: Env, request: LaunchRequest): Promise<AcquiredBrowser> {
  const acquire = async () => unwrap(await brokerOf(env, request.region).acquire(request));
  try {
    return await acquire();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // The broker was reset. It knows the browsers that it launched, so a second call launches no second one.
    logError("broker_called_again", error, { session_id: request.sessionId });
    return acquire();
  }
}
