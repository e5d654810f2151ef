import { readSettings } from "../../lib/common/settings.ts";
import { acquireBrowser, BrowserUnavailableError } from "../browser/index.ts";
import { accountBinding, toBrowserId } from "./accounts.ts";

/** A failure is a value, because errors lose their fields on the way between objects. */
export type LaunchResult =
  | { browserId: string }
  | { failure: Pick<BrowserUnavailableError, "kind" | "message" | "retryAfterSeconds">; cause: string };

/**
 * Launches a browser in an account, in the object of its owner: an object may have only six connections
 * waiting for a response, and the platform starts a browser near the object that asks for it.
 */
export type LaunchInAccount = (account: string) => Promise<LaunchResult>;

export async function launchInAccount(env: Env, account: string): Promise<LaunchResult> {
  const { browserKeepAliveMs } = readSettings(env);
  try {
    const id = await acquireBrowser(accountBinding(env, account), browserKeepAliveMs);
    return { browserId: toBrowserId(account, id) };
  } catch (error) {
    const isKnown = error instanceof BrowserUnavailableError;
    const known = isKnown
      ? error
      : new BrowserUnavailableError("failure", "The browser could not be started", 5);
    const { kind, message, retryAfterSeconds } = known;
    return { failure: { kind, message, retryAfterSeconds }, cause: String(isKnown ? error.cause : error) };
  }
}
