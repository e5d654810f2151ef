import { eachConcurrently } from "../../common/concurrency.ts";
import { openDatabase } from "../../database/client.ts";
import type { EndReason } from "../end-reason.ts";
import { listLivingSessionsOfInvocation } from "../store.ts";
import { endSession } from "./end-session.ts";

export { listSessionsOfInvocation } from "../store.ts";

/** Sessions that are ended at the same time. */
const CONCURRENCY = 6;

/**
 * Ends every session that belongs to an invocation, those that are starting included. Once the invocation's row says
 * that it has finished, no other comes after them. May be called again and again.
 *
 * @throws the first failure, once all have been tried; of a finished invocation the sweep ends what is left.
 */
export async function endSessionsOfInvocation(
  env: Env,
  invocationId: string,
  reason: EndReason = "invocation_ended",
): Promise<void> {
  const sessions = await listLivingSessionsOfInvocation(openDatabase(env.DB), invocationId);
  const failures: unknown[] = [];
  await eachConcurrently(
    sessions,
    CONCURRENCY,
    (session) => endSession(env, session, reason),
    (error) => failures.push(error),
  );
  if (failures.length > 0) throw failures[0];
}
