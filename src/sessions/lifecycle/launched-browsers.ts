import { and, eq, isNull, lt, ne, sql } from "drizzle-orm";
import { acquireBrowser, closeBrowser } from "../../browser/index.ts";
import { logError } from "../../common/log.ts";
import { readSettings } from "../../common/settings.ts";
import { type Database, openDatabase } from "../../database/client.ts";
import {
  type BrowserSessionRow,
  browserSessions,
  launchedBrowsers,
} from "../../database/schema/browser-sessions.ts";

/** Whose the browsers are that stand by for sessions to come. No session has an id like it. */
export const STANDBY_OWNER = "standby";

/** Notes a browser as Berth's own, from its launch until it is closed, and whose it is. */
export async function recordLaunchedBrowser(
  database: Database,
  browser: { browserId: string; sessionId: string; launchedAt: number },
): Promise<void> {
  const { sessionId, launchedAt } = browser;
  await database
    .insert(launchedBrowsers)
    .values(browser)
    .onConflictDoUpdate({ target: launchedBrowsers.browserId, set: { sessionId, launchedAt } });
}

export async function forgetLaunchedBrowser(database: Database, browserId: string): Promise<void> {
  await database.delete(launchedBrowsers).where(eq(launchedBrowsers.browserId, browserId));
}

export interface LaunchedBrowser {
  browserId: string;
  sessionId: string;
  /** State of the session that it was launched for; null when there is none of that id. */
  ownerState: BrowserSessionRow["state"] | null;
}

/** Ids of all browsers that are noted as Berth's own. */
export async function listKnownBrowsers(database: Database): Promise<Set<string>> {
  const rows = await database.select({ browserId: launchedBrowsers.browserId }).from(launchedBrowsers);
  return new Set(rows.map(({ browserId }) => browserId));
}

/** Ids of the browsers that are noted as standing by since before a moment. */
export async function listStandbyBrowsers(database: Database, launchedBefore: number): Promise<string[]> {
  const rows = await database
    .select({ browserId: launchedBrowsers.browserId })
    .from(launchedBrowsers)
    .where(
      and(eq(launchedBrowsers.sessionId, STANDBY_OWNER), lt(launchedBrowsers.launchedAt, launchedBefore)),
    );
  return rows.map(({ browserId }) => browserId);
}

/** Browsers of sessions launched before a moment, with what became of their sessions. */
export async function listLaunchedBrowsers(
  database: Database,
  launchedBefore: number,
): Promise<LaunchedBrowser[]> {
  return database
    .select({
      browserId: launchedBrowsers.browserId,
      sessionId: launchedBrowsers.sessionId,
      ownerState: browserSessions.state,
    })
    .from(launchedBrowsers)
    .leftJoin(browserSessions, eq(browserSessions.id, launchedBrowsers.sessionId))
    .where(
      and(lt(launchedBrowsers.launchedAt, launchedBefore), ne(launchedBrowsers.sessionId, STANDBY_OWNER)),
    );
}

/** Ids of living sessions that have no launched browser although they are older than a moment. */
export async function listBrowserlessSessions(database: Database, createdBefore: number): Promise<string[]> {
  const rows = await database
    .select({ id: browserSessions.id })
    .from(browserSessions)
    .leftJoin(launchedBrowsers, eq(launchedBrowsers.sessionId, browserSessions.id))
    .where(
      and(
        // As the indexes of living sessions have it, word for word.
        sql`state <> 'ended'`,
        lt(browserSessions.createdAt, createdBefore),
        isNull(launchedBrowsers.browserId),
      ),
    );
  return rows.map((row) => row.id);
}

/** Closes a browser that Berth launched. It may be gone already. */
export async function closeLaunchedBrowser(env: Env, browserId: string): Promise<void> {
  await closeBrowser(env.BROWSER, browserId);
  await forgetLaunchedBrowser(openDatabase(env.DB), browserId);
}

/** The one object that keeps browsers standing by. */
export function standbyObject(env: Env) {
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
