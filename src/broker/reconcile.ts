import { forEachConcurrently } from "../common/concurrency.ts";
import { logError, logEvent } from "../common/log.ts";
import { type Database, openDatabase } from "../database/client.ts";
import { listAllBrowsers } from "./accounts.ts";
import type { BrowserCloser } from "./browser-closer.ts";
import type { BrokerState } from "./state.ts";
import { forgetOlderBrowsers, listLivingSessions, listOlderBrowsers } from "./store.ts";

/** A younger browser may not be listed by the platform, or its session not be recorded, yet. */
export const GRACE_MS = 120_000;

const CONCURRENCY = 6;

/**
 * Repairs what crashes left: closes recorded browsers without a session, and lets sessions check themselves that have no
 * browser or do not get started.
 *
 * @throws when the platform or the database does not answer; nothing is changed then.
 */
export async function reconcile(state: BrokerState, closer: BrowserCloser, now: number): Promise<void> {
  const database = openDatabase(state.env.DB);
  if (state.region === null) await adoptOlderBrowsers(state, database);
  const before = now - GRACE_MS;
  const [{ browsers, silent }, living] = await Promise.all([
    listAllBrowsers(state.env),
    listLivingSessions(database, state.region),
  ]);
  const sessions = new Map(living.map((session) => [session.id, session]));
  const records = state.records.list();
  const settled = records.filter((record) => record.state === "used" && record.launchedAt < before);
  const orphans = settled.filter(({ sessionId }) => !sessions.has(sessionId));
  const isLost = (record: (typeof records)[number]) =>
    !browsers.has(record.browserId) && !silent.has(record.account);
  const doubtful = settled.filter((record) => {
    const session = sessions.get(record.sessionId);
    return session !== undefined && (session.state === "starting" || isLost(record));
  });
  const owners = new Set(records.map(({ sessionId }) => sessionId));
  const browserless = living.filter(({ id, createdAt }) => createdAt < before && !owners.has(id));
  const sessionIds = new Set([
    ...doubtful.map(({ sessionId }) => sessionId),
    ...browserless.map(({ id }) => id),
  ]);
  if (orphans.length + sessionIds.size === 0) return;
  logEvent("sessions_swept", { orphaned_browsers: orphans.length, doubtful_sessions: sessionIds.size });
  await closer.close(orphans.map(({ browserId }) => browserId));
  await forEachConcurrently(
    sessionIds,
    CONCURRENCY,
    (id) => state.env.BROWSER_SESSION.getByName(id).reconcile(id),
    (error) => logError("session_not_reconciled", error),
  );
}

/** Takes over the browsers that an older version launched. */
async function adoptOlderBrowsers({ records }: BrokerState, database: Database): Promise<void> {
  const older = await listOlderBrowsers(database);
  if (older.length === 0) return;
  for (const browser of older) records.add(browser);
  await forgetOlderBrowsers(
    database,
    older.map(({ browserId }) => browserId),
  );
}
