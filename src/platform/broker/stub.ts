import { ServiceError } from "../../lib/common/errors.ts";
import { logError } from "../../lib/common/log.ts";
import { unwrap } from "../../lib/common/outcome.ts";
import { placedIn, type Region } from "../../lib/common/regions.ts";
import { type LaunchResult, launchInAccount } from "./launch-in-account.ts";
import type { AcquiredBrowser } from "./launcher.ts";
import type { BrowserBroker, LaunchRequest } from "./object.ts";

/** The broker of a region, which runs there; null: the one for sessions without a region. */
export function brokerOf(env: Env, region: Region | null): DurableObjectStub<BrowserBroker> {
  return env.BROWSER_BROKER.getByName(region ?? "default", placedIn(region));
}

/**
 * Gets a browser for a session; see `BrowserBroker.acquire`. The broker decides when and in which account it
 * is launched, and this object launches it.
 *
 * @param onLaunched is called before the broker knows of the browser, so that a crash leaves none without an
 * owner.
 * @throws ServiceError 429 or 503. A browser that arrives later is closed.
 *
 * @example
 * const owner = { sessionId, region: null, organizationId, weight: 1 };
 * const { browserId } = await acquireForSession(env, { ...owner, kind: "session", allowsStandby: true });
 */
export async function acquireForSession(
  env: Env,
  request: LaunchRequest,
  onLaunched: (browserId: string) => void = () => undefined,
): Promise<AcquiredBrowser> {
  let isWaiting = true;
  let launching: Promise<LaunchResult> | undefined;
  const launch = async (account: string) => {
    const result = await launchInAccount(env, account);
    if ("failure" in result) launching = undefined;
    else if (isWaiting) onLaunched(result.browserId);
    return result;
  };
  const acquire = async () => {
    const broker = brokerOf(env, request.region);
    // A broker that was reset does not know about a launch that is under way here.
    return unwrap(await broker.acquire(request, (account) => (launching ??= launch(account))));
  };
  let acquired: AcquiredBrowser | undefined;
  try {
    acquired = await acquire().catch((error) => {
      if (error instanceof ServiceError) throw error;
      // The broker was reset. It still knows the browsers reported to it, so a second call launches no other.
      logError("broker_called_again", error, { session_id: request.sessionId });
      return acquire();
    });
    return acquired;
  } finally {
    isWaiting = false;
    launching
      ?.then(async (result) => {
        if ("failure" in result || result.browserId === acquired?.browserId) return;
        await brokerOf(env, request.region).discard(result.browserId);
      })
      .catch((error: unknown) => logError("browser_not_closed", error, { session_id: request.sessionId }));
  }
}
