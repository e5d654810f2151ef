import { forEachConcurrently } from "../../../lib/common/concurrency.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import type { EndReason } from "../end-reason.ts";
import { listLivingSessionsOfInvocation } from "../queries.ts";
import { endSession } from "./end-session.ts";

export { listSessionsOfInvocation } from "../queries.ts";

/**
 * Ends every session of an invocation, including those that are starting. No new ones follow once the
 * invocation's row says that it has finished.
 *
 * @throws the first failure, after all have been tried. The sweep retries those of finished invocations.
 */
export async function endSessionsOfInvocation(
  env: Env,
  invocationId: string,
  reason: EndReason = "invocation_ended",
): Promise<void> {
  const sessions = await listLivingSessionsOfInvocation(openDatabase(env.DB), invocationId);
  const failures: unknown[] = [];
  await forEachConcurrently(
    sessions,
    (session) => endSession(env, session, reason),
    (error) => failures.push(error),
  );
  if (failures.length > 0) throw failures[0];
}
