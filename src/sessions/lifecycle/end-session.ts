import type { EndReason } from "../end-reason.ts";
import { sessionObject } from "../stub.ts";

/**
 * Ends a session for a reason of the service's own, whatever phase it is in; one that is starting is through with that
 * first. Ending it again changes nothing.
 *
 * @throws when its object does not answer, or the index.
 */
export async function endSession(
  env: Env,
  { id, organizationId }: { id: string; organizationId: string },
  reason: EndReason,
): Promise<void> {
  const session = sessionObject(env, id);
  const outcome = await session.end({ organizationId, invocationId: null }, reason);
  // It has not begun, has crashed as it began, or has ended and the index does not know.
  if (!outcome.ok) await session.reconcile(id);
}
