import { closeBrowser, listBrowsers } from "../../browser/index.ts";
import { forEachConcurrently } from "../../common/concurrency.ts";
import { logError, logEvent } from "../../common/log.ts";
import { readSettings } from "../../common/settings.ts";
import { type Database, openDatabase } from "../../database/client.ts";
import { listOrphanedSessions, listSessionsOfFinishedInvocations } from "../queries.ts";
import { removeExpiredRecords } from "../store.ts";
import { sessionObject } from "../stub.ts";
import { endSession } from "./end-session.ts";
import {
  forgetLaunchedBrowser,
  type LaunchedBrowser,
  listBrowserlessSessions,
  listKnownBrowsers,
  listLaunchedBrowsers,
  listStandbyBrowsers,
  standbyObject,
} from "./launched-browsers.ts";
import { removeOrphanedSessionFiles } from "./orphaned-session-files.ts";

/** A younger browser may not be recorded, or listed by the platform, yet. */
const GRACE_MS = 120_000;

const CONCURRENCY = 6;

/**
 * Repairs what crashes left: closes browsers without a session, ends sessions without a browser, organization or
 * invocation, keeps the number of standby browsers, and removes expired records. It touches only browsers that Berth
 * launched, unless OWNS_ALL_BROWSERS says that there are no others.
 */
export async function sweepSessions(env: Env, now: number): Promise<void> {
  const steps = [
    () => reconcileBrowsers(env, now - GRACE_MS),
    () => closeUnknownBrowsers(env, now - GRACE_MS),
    () => endOrphanedSessions(env),
    () => endSessionsOfFinishedInvocations(env),
    () => keepStandbyBrowsers(env, now),
    () => removeExpired(env, now),
    () => removeOrphanedSessionFiles(env, now),
  ];
  for (const step of steps) {
    await step().catch((error) => logError("sweep_step_failed", error));
  }
}

/** Ends the sessions whose organization was disabled or deleted. */
export async function endOrphanedSessions(env: Env): Promise<void> {
  const orphaned = await listOrphanedSessions(openDatabase(env.DB));
  await forEach(orphaned, (session) => endSession(env, session, "organization_ended"));
}

async function endSessionsOfFinishedInvocations(env: Env): Promise<void> {
  const sessions = await listSessionsOfFinishedInvocations(openDatabase(env.DB));
  await forEach(sessions, (session) => endSession(env, session, "invocation_ended"));
}

async function reconcileBrowsers(env: Env, before: number): Promise<void> {
  const database = openDatabase(env.DB);
  const [present, launched, browserless] = await Promise.all([
    listBrowsers(env.BROWSER),
    listLaunchedBrowsers(database, before),
    listBrowserlessSessions(database, before),
  ]);
  const orphans = launched.filter(({ ownerState }) => ownerState === null || ownerState === "ended");
  const doubtful = launched.filter(
    ({ browserId, ownerState }) =>
      ownerState === "starting" ||
      ((ownerState === "active" || ownerState === "idle") && !present.has(browserId)),
  );
  const sessionIds = new Set(doubtful.map(({ sessionId }) => sessionId).concat(browserless));
  if (orphans.length + sessionIds.size === 0) return;
  logEvent("sessions_swept", { orphaned_browsers: orphans.length, doubtful_sessions: sessionIds.size });
  await forEach(orphans, (orphan) => closeOrphan(env, database, orphan));
  await forEach(sessionIds, (sessionId) => sessionObject(env, sessionId).reconcile(sessionId));
}

/** Closes browsers that a crash left unrecorded after their launch. */
async function closeUnknownBrowsers(env: Env, before: number): Promise<void> {
  if (!readSettings(env).ownsAllBrowsers) return;
  // Browsers that are launched between the two reads are younger than `before`.
  const present = await listBrowsers(env.BROWSER);
  const known = await listKnownBrowsers(openDatabase(env.DB));
  const unknown = [...present].filter(([id, startedAt = before]) => startedAt < before && !known.has(id));
  if (unknown.length > 0) logEvent("unknown_browsers_closed", { browsers: unknown.length });
  await forEach(unknown, ([id]) => closeBrowser(env.BROWSER, id));
}

/** The setting may have been lowered to 0 while there are standby browsers. */
async function keepStandbyBrowsers(env: Env, now: number): Promise<void> {
  const isWanted = readSettings(env).standbyBrowsers > 0;
  const isUsed = isWanted || (await listStandbyBrowsers(openDatabase(env.DB), now)).length > 0;
  if (isUsed) await standbyObject(env).keep();
}

async function removeExpired(env: Env, now: number): Promise<void> {
  const { deletedSessionRetentionMs, idempotencyRetentionMs } = readSettings(env);
  await removeExpiredRecords(openDatabase(env.DB), {
    endedAt: now - deletedSessionRetentionMs,
    keyCreatedAt: now - idempotencyRetentionMs,
  });
}

async function closeOrphan(env: Env, database: Database, { browserId }: LaunchedBrowser): Promise<void> {
  await closeBrowser(env.BROWSER, browserId);
  await forgetLaunchedBrowser(database, browserId);
}

/** The next sweep retries what fails. */
function forEach<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  return forEachConcurrently(items, CONCURRENCY, work, (error) => logError("sweep_step_failed", error));
}
