import { closeBrowser, listBrowsers } from "../../browser/index.ts";
import { eachConcurrently } from "../../common/concurrency.ts";
import { logError, logEvent } from "../../common/log.ts";
import { readSettings } from "../../common/settings.ts";
import { type Database, openDatabase } from "../../database/client.ts";
import { listForsakenSessions, listSessionsOfFinishedInvocations, removeExpiredRecords } from "../store.ts";
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

/** What is younger may still be on its way: its launch, its record, or its place in the platform's list. */
const GRACE_MS = 120_000;

/** Sessions and browsers that are looked after at the same time. */
const CONCURRENCY = 6;

/**
 * Brings index, objects and browsers back together where a crash has parted them: closes browsers whose session
 * is gone, ends sessions whose browser, organization or invocation is gone, keeps as many browsers standing by as
 * the setting says, and removes records past their time. Only browsers that Berth itself launched are touched, unless
 * the setting OWNS_ALL_BROWSERS says that there are no others.
 */
export async function sweepSessions(env: Env, now: number): Promise<void> {
  const steps = [
    () => reconcileBrowsers(env, now - GRACE_MS),
    () => closeUnknownBrowsers(env, now - GRACE_MS),
    () => endForsakenSessions(env),
    () => endLeftSessions(env),
    () => keepStandbyBrowsers(env, now),
    () => removeExpired(env, now),
  ];
  for (const step of steps) {
    await step().catch((error) => logError("sweep_step_failed", error));
  }
}

/** Ends the sessions whose organization was disabled or deleted. */
export async function endForsakenSessions(env: Env): Promise<void> {
  const forsaken = await listForsakenSessions(openDatabase(env.DB));
  await lookAfter(forsaken, (session) => endSession(env, session, "organization_ended"));
}

/** Ends the sessions that finished invocations have left. */
async function endLeftSessions(env: Env): Promise<void> {
  const left = await listSessionsOfFinishedInvocations(openDatabase(env.DB));
  await lookAfter(left, (session) => endSession(env, session, "invocation_ended"));
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
  await lookAfter(orphans, (orphan) => closeOrphan(env, database, orphan));
  await lookAfter(sessionIds, (sessionId) => sessionObject(env, sessionId).reconcile(sessionId));
}

/** Where all browsers of the account are this service's: those that a crash has left between their launch and its note. */
async function closeUnknownBrowsers(env: Env, before: number): Promise<void> {
  if (!readSettings(env).ownsAllBrowsers) return;
  // In this order: a browser that is launched meanwhile is young.
  const present = await listBrowsers(env.BROWSER);
  const known = await listKnownBrowsers(openDatabase(env.DB));
  const unknown = [...present].filter(([id, startedAt = before]) => startedAt < before && !known.has(id));
  if (unknown.length > 0) logEvent("unknown_browsers_closed", { browsers: unknown.length });
  await lookAfter(unknown, ([id]) => closeBrowser(env.BROWSER, id));
}

/** Also where none are wanted, as long as there are some: the setting may have gone down. */
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

/** What fails for one is left to the next sweep. */
function lookAfter<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  return eachConcurrently(items, CONCURRENCY, work, (error) => logError("sweep_step_failed", error));
}
