import { acquireBrowser } from "../../browser/binding.ts";
import { logError } from "../../common/log.ts";
import { readSettings } from "../../common/settings.ts";
import type { StandbyBrowsers } from "./standby-browsers.ts";

/** The one object that keeps browsers standing by. */
export function standbyObject(env: Env): DurableObjectStub<StandbyBrowsers> {
  return env.STANDBY.getByName("standby");
}

/**
 * Gets a standby browser or launches one, and prepares it. A standby browser that cannot be prepared is closed, and
 * another one is launched.
 *
 * @returns its id.
 * @throws BrowserUnavailableError, and whatever `prepare` of a launched browser, or `close`, throws.
 */
export async function obtainBrowser(
  env: Env,
  work: {
    allowStandby: boolean;
    prepare: (browserId: string) => Promise<void>;
    close: (browserId: string) => Promise<void>;
  },
): Promise<string> {
  const standby = work.allowStandby ? await takeStandbyBrowser(env) : undefined;
  if (standby !== undefined) {
    try {
      await work.prepare(standby);
      return standby;
    } catch (error) {
      logError("standby_browser_not_usable", error);
      await work.close(standby);
    }
  }
  const launched = await acquireBrowser(env.BROWSER, readSettings(env).browserKeepAliveMs);
  await work.prepare(launched);
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
