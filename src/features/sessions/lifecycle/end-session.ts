import { openDatabase } from "../../../lib/database/client.ts";
import type { BrowserSessionRow } from "../../../lib/database/schema/browser-sessions.ts";
import { type EndReason, OPERATOR } from "../end-reason.ts";
import { findLivingSessionById } from "../queries.ts";
import { sessionObject } from "../stub.ts";

/**
 * Ends a session in any phase. Waits for a start that is under way. Ending it again changes nothing.
 *
 * @throws when its object or the database does not answer.
 */
export async function endSession(
  env: Env,
  { id, organizationId, projectId }: Pick<BrowserSessionRow, "id" | "organizationId" | "projectId">,
  reason: EndReason,
): Promise<void> {
  const session = sessionObject(env, id);
  const outcome = await session.end({ organizationId, projectId, invocationId: null }, reason);
  // The session never started, crashed while starting, or has ended without the database saying so.
  if (!outcome.ok) await session.reconcile(id);
}

/**
 * Ends a session of any organization for the operator. Waits for a start that is under way.
 *
 * @returns false if there is no such session, or it has ended.
 * @throws when its object or the database does not answer.
 */
export async function endSessionForOperator(env: Env, id: string): Promise<boolean> {
  const database = openDatabase(env.DB);
  if ((await findLivingSessionById(database, id)) === undefined) return false;
  const session = sessionObject(env, id);
  await session.retire("deleted", OPERATOR);
  // The session never started, or has ended without the database saying so.
  if ((await findLivingSessionById(database, id)) !== undefined) await session.reconcile(id);
  return true;
}
