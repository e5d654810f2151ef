import { acquireBrowser } from "../../browser/binding.ts";
import { logError } from "../../common/log.ts";
import { readSettings } from "../../common/settings.ts";
import type { StandbyBrowsers } from "./standby-browsers.ts";

/** The one object that keeps browsers standing by. */
export function standbyObject(env: Env): DurableObjectStub<StandbyBrowsers> {
  return env.STANDBY.getByName("standby");
}

/**
 * Gets a browser, one that stands by where there is one, and has it made ready. One that stands by and cannot be made
 * ready is closed, and another is launched in its place.
 *
 * @returns its id.
 * @throws BrowserUnavailableError, and whatever `makeReady` of a launched browser and `close` throw.
 */
export async function obtainBrowser(
  env: Env,
  work: {
    /** Whether one that stands by will do. */
    mayStandBy: boolean;
    makeReady: (browserId: string) => Promise<void>;
    close: (browserId: string) => Promise<void>;
  },
): Promise<string> {
  const standby = work.mayStandBy ? await takeStandbyBrowser(env) : undefined;
  if (standby !== undefined) {
    try {
      await work.makeReady(standby);
      return standby;
    } catch (error) {
      logError("standby_browser_not_usable", error);
      await work.close(standby);
    }
  }
  const launched = await acquireBrowser(env.BROWSER, readSettings(env).browserKeepAliveMs);
  await work.makeReady(launched);
  return launched;
}

async function takeStandbyBrowser(env: Env): Promise<string | undefined> {
  if (readSettings(env).standbyBrowsers === 0) return undefined;
  try {
    return await standbyObject(env).take();
  } catch (error) {
    logError("standby_browser_not_taken", error);
    return undefined;
  }
}
