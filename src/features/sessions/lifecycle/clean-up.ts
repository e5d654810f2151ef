import { settleAll } from "../../../lib/common/concurrency.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import type { Background } from "../../../lib/objects/background.ts";
import { brokerOf } from "../../../platform/broker/index.ts";
import { machineObject } from "../../machine/index.ts";
import type { SessionRecord } from "../record.ts";
import { emitSessionEnded } from "../session-events.ts";
import { markSessionEnded, writeEvidence } from "../store.ts";

interface CleanUp {
  /** Undefined once the browser is gone. */
  browserId: string | undefined;
  /** Errors of the parts that have to be retried. */
  failures: unknown[];
}

/** Ends a session for everyone: in the database, for the limit on sessions, and for users of its machine. */
export async function announceEnd(
  background: Background,
  { id, region, pool, hasMachine }: SessionRecord,
  end: NonNullable<SessionRecord["end"]>,
): Promise<void> {
  const { env } = background;
  await settleAll([
    markSessionEnded(openDatabase(env.DB), id, end).then(
      (row) => row && emitSessionEnded(background, row, end),
    ),
    // Pool browsers do not count.
    ...(pool === undefined ? [brokerOf(env, region).endSession(id)] : []),
    ...(hasMachine ? [machineObject(env, id).end()] : []),
  ]);
}

/**
 * Closes an ended session's browser and keeps its evidence. A failure of one does not stop the others. The
 * session's pool is notified once all is done.
 *
 * @param announced what tells the others that it has ended.
 */
export async function cleanUpSession(
  { env }: Background,
  { id, browserId, region, pool, end }: SessionRecord,
  announced: Promise<void>,
): Promise<CleanUp> {
  const [indexed, closed] = await Promise.allSettled([
    announced.then(() => end?.evidence && writeEvidence(openDatabase(env.DB), id, end.evidence)),
    browserId === undefined ? undefined : brokerOf(env, region).release(id, browserId),
  ]);
  const failures = [indexed, closed].flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  if (pool !== undefined && failures.length === 0) {
    await env.BROWSER_POOL.getByName(pool.id)
      .removeSession(id)
      .catch((error: unknown) => failures.push(error));
  }
  return { browserId: closed.status === "fulfilled" ? undefined : browserId, failures };
}
