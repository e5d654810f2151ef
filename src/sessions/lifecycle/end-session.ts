import type { EndReason } from "../end-reason.ts";
import { sessionObject } from "../stub.ts";

/**
 * Ends a session in any phase. Waits for a start that is under way. Ending it again changes nothing.
 *
 * @throws when its object or the database does not answer.
 */
export async function endSession(
  env: Env,
  { id, organizationId }: { id: string; organizationId: string },
  reason: EndReason,
): Promise<void> {
  const session = sessionObject(env, id);
  const outcome = await session.end({ organizationId, invocationId: null }, reason);
  // The session never started, crashed while starting, or has ended and the database does not say so.
  if (!outcome.ok) await session.reconcile(id);
}
