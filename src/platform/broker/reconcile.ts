import { forEachLogged } from "../../lib/common/concurrency.ts";
import { logEvent } from "../../lib/common/log.ts";
import { accountOf, listAllBrowsers } from "./accounts.ts";
import type { BrowserCloser } from "./browser-closer.ts";
import type { BrokerState } from "./state.ts";
import { listLivingSessions } from "./store.ts";

/** A younger browser may not be listed by the platform yet, or its session may not be recorded yet. */
export const GRACE_MS = 120_000;

/**
 * Repairs what crashes left behind: closes recorded browsers without a session, forgets closing ones that the
 * platform does not list, and makes sessions that have no browser or never finished starting check
 * themselves.
 *
 * @throws when the platform or the database does not answer; nothing is changed then.
 */
export async function reconcile(state: BrokerState, closer: BrowserCloser, now: number): Promise<void> {
  const before = now - GRACE_MS;
  const [{ browsers, silent }, living] = await Promise.all([
    listAllBrowsers(state.env),
    listLivingSessions(state.database, state.region),
  ]);
  const sessions = new Map(living.map((session) => [session.id, session]));
  const records = state.records.list();
  const settled = state.records.list("used", "ending").filter(({ launchedAt }) => launchedAt < before);
  const orphans = settled.filter(({ sessionId }) => !sessions.has(sessionId));
  const isLost = (id: string) => !browsers.has(id) && !silent.has(accountOf(id));
  for (const { browserId, state: phase, launchedAt } of records) {
    if (phase === "closing" && launchedAt < before && isLost(browserId)) closer.forget(browserId);
  }
  const doubtful = settled.filter(
    ({ sessionId, browserId }) => sessions.get(sessionId)?.state === "starting" || isLost(browserId),
  );
  const owners = new Set(records.map(({ sessionId }) => sessionId));
  const browserless = living.filter(({ id, createdAt }) => createdAt < before && !owners.has(id));
  const ids = [...doubtful.map(({ sessionId }) => sessionId), ...browserless.map(({ id }) => id)];
  const sessionIds = new Set(ids.filter((id) => sessions.has(id)));
  if (orphans.length + sessionIds.size === 0) return;
  logEvent("sessions_swept", { orphaned_browsers: orphans.length, doubtful_sessions: sessionIds.size });
  await closer.close(orphans.map(({ browserId }) => browserId));
  const check = (id: string) => state.env.BROWSER_SESSION.getByName(id).reconcile(id);
  await forEachLogged("session_not_reconciled", sessionIds, check);
}
