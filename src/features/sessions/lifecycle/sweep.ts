import { sweepEach, sweepInSteps } from "../../../lib/common/concurrency.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import { sweepBrowsers } from "../../../platform/broker/index.ts";
import { type HasEnded, sweepMachines } from "../../machine/index.ts";
import { listOrphanedSessions, listSessionsOfFinishedInvocations, listStates } from "../queries.ts";
import { removeExpiredRecords } from "../store.ts";
import { endSession } from "./end-session.ts";
import { removeOrphanedSessionFiles } from "./orphaned-session-files.ts";

/**
 * Repairs what crashes left behind: closes browsers without a session, ends sessions without a browser,
 * organization or invocation, maintains the number of standby browsers, and removes expired rows. It touches
 * only browsers that Berth launched, unless OWNS_ALL_BROWSERS says that there are no others.
 */
export async function sweepSessions(env: Env, now: number): Promise<void> {
  await sweepInSteps([
    () => sweepBrowsers(env, now),
    () => endOrphanedSessions(env),
    () => endSessionsOfFinishedInvocations(env),
    () => sweepMachines(env, now, (ids) => readEnded(env, ids)),
    () => removeExpired(env, now),
    () => removeOrphanedSessionFiles(env, now),
  ]);
}

/** Ends the sessions whose organization was disabled or deleted. */
export async function endOrphanedSessions(env: Env): Promise<void> {
  const orphaned = await listOrphanedSessions(openDatabase(env.DB));
  await sweepEach(orphaned, (session) => endSession(env, session, "organization_ended"));
}

async function endSessionsOfFinishedInvocations(env: Env): Promise<void> {
  const sessions = await listSessionsOfFinishedInvocations(openDatabase(env.DB));
  await sweepEach(sessions, (session) => endSession(env, session, "invocation_ended"));
}

async function readEnded(env: Env, ids: string[]): Promise<HasEnded> {
  const sessions = new Map<string, { state: string; lease: number | null }>();
  if (ids.length > 0)
    for (const row of await listStates(openDatabase(env.DB), ids)) sessions.set(row.id, row);
  return (id, lease) => {
    const session = sessions.get(id);
    return session && (session.state === "ended" || String(session.lease ?? "") !== lease);
  };
}

async function removeExpired(env: Env, now: number): Promise<void> {
  const { deletedSessionRetentionMs, idempotencyRetentionMs } = readSettings(env);
  await removeExpiredRecords(openDatabase(env.DB), {
    endedAt: now - deletedSessionRetentionMs,
    keyCreatedAt: now - idempotencyRetentionMs,
  });
}
