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

/** The owner of standby browsers. No session has this id. */
export const STANDBY_OWNER = "standby";

/** Records that Berth launched a browser, and its owner. */
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
  /** State of the owning session; null when there is no such session. */
  ownerState: BrowserSessionRow["state"] | null;
}

/** Ids of all browsers that Berth launched and has not closed. */
export async function listKnownBrowsers(database: Database): Promise<Set<string>> {
  const rows = await database.select({ browserId: launchedBrowsers.browserId }).from(launchedBrowsers);
  return new Set(rows.map(({ browserId }) => browserId));
}

export interface BrowserOwner {
  /** Null: it is a standby browser. */
  sessionId: string | null;
  /** Null: there is no such session. */
  organizationId: string | null;
  launchedAt: number;
}

/** The owners of all browsers that Berth launched and has not closed, by the browser's id. */
export async function listBrowserOwners(database: Database): Promise<Map<string, BrowserOwner>> {
  const rows = await database
    .select({
      browserId: launchedBrowsers.browserId,
      sessionId: sql<string | null>`nullif(${launchedBrowsers.sessionId}, ${STANDBY_OWNER})`,
      organizationId: browserSessions.organizationId,
      launchedAt: launchedBrowsers.launchedAt,
    })
    .from(launchedBrowsers)
    .leftJoin(browserSessions, eq(browserSessions.id, launchedBrowsers.sessionId));
  return new Map(rows.map(({ browserId, ...owner }) => [browserId, owner]));
}

/** Ids of the standby browsers that were launched before a moment. */
export async function listStandbyBrowsers(database: Database, launchedBefore: number): Promise<string[]> {
  const rows = await database
    .select({ browserId: launchedBrowsers.browserId })
    .from(launchedBrowsers)
    .where(
      and(eq(launchedBrowsers.sessionId, STANDBY_OWNER), lt(launchedBrowsers.launchedAt, launchedBefore)),
    );
  return rows.map(({ browserId }) => browserId);
}

/** Browsers of sessions that were launched before a moment, with the state of their sessions. */
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

/** Ids of sessions that have not ended, have no launched browser, and were created before a moment. */
export async function listBrowserlessSessions(database: Database, createdBefore: number): Promise<string[]> {
  const rows = await database
    .select({ id: browserSessions.id })
    .from(browserSessions)
    .leftJoin(launchedBrowsers, eq(launchedBrowsers.sessionId, browserSessions.id))
    .where(
      and(
        // SQLite uses a partial index only if the query repeats its condition word for word.
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

/** The one object that keeps standby browsers. */
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
export async function takeOrLaunchBrowser(
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
