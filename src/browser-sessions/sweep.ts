import { closeBrowser, listBrowsers } from "../browser/binding.ts";
import { type Database, openDatabase } from "../database/client.ts";
import { unwrap } from "../http/outcome.ts";
import { logError, logEvent } from "../log.ts";
import { readSettings } from "../settings.ts";
import { sessionObject } from "./session-object.ts";
import {
  forgetLaunchedBrowser,
  type LaunchedBrowser,
  listBrowserlessSessions,
  listForsakenSessions,
  listLaunchedBrowsers,
  removeExpiredRecords,
} from "./store.ts";

/** What is younger may still be on its way: its launch, its record, or its place in the platform's list. */
const GRACE_MS = 120_000;

/** Sessions and browsers that are looked after at the same time. */
const CONCURRENCY = 6;

/**
 * Brings index, objects and browsers back together where a crash has parted them: closes browsers whose session
 * is gone, ends sessions whose browser or organization is gone, and removes records past their time. Only browsers that Berth
 * itself launched are touched.
 */
export async function sweepSessions(env: Env, now: number): Promise<void> {
  const database = openDatabase(env.DB);
  const before = now - GRACE_MS;
  // Read in this order: a browser that is closed between the two reads then counts as there, not as lost.
  const launched = await listLaunchedBrowsers(database, before);
  const present = await listBrowsers(env.BROWSER);
  const browserless = await listBrowserlessSessions(database, before);

  const orphans = launched.filter(({ ownerState }) => ownerState === null || ownerState === "ended");
  const lost = launched.filter(
    ({ browserId, ownerState }) => ownerState === "active" && !present.has(browserId),
  );
  const unfinished = launched.filter(({ ownerState }) => ownerState === "starting");
  const doubtful = new Set([...lost, ...unfinished].map(({ sessionId }) => sessionId).concat(browserless));

  await eachConcurrently(orphans, (orphan) => closeOrphan(env, database, orphan, present));
  await eachConcurrently([...doubtful], (sessionId) => sessionObject(env, sessionId).reconcile(sessionId));

  await endForsakenSessions(env);

  const { deletedSessionRetentionMs, idempotencyRetentionMs } = readSettings(env);
  await removeExpiredRecords(database, {
    endedAt: now - deletedSessionRetentionMs,
    keyCreatedAt: now - idempotencyRetentionMs,
  });
  if (orphans.length + doubtful.size > 0) {
    logEvent("sessions_swept", { orphaned_browsers: orphans.length, doubtful_sessions: doubtful.size });
  }
}

/** Ends the sessions whose organization was disabled or deleted. */
export async function endForsakenSessions(env: Env): Promise<void> {
  const forsaken = await listForsakenSessions(openDatabase(env.DB));
  await eachConcurrently(forsaken, async ({ id, organizationId }) => {
    unwrap(await sessionObject(env, id).end(organizationId, "organization_ended"));
  });
}

async function closeOrphan(
  env: Env,
  database: Database,
  { browserId }: LaunchedBrowser,
  present: ReadonlySet<string>,
): Promise<void> {
  if (present.has(browserId)) await closeBrowser(env.BROWSER, browserId);
  await forgetLaunchedBrowser(database, browserId);
}

/** Works through items, a few at a time; what fails for one is logged and left to the next sweep. */
async function eachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) {
      await work(item).catch((error) => logError("sweep_step_failed", error));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
