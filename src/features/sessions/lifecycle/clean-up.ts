import { openDatabase } from "../../../lib/database/client.ts";
import type { Background } from "../../../lib/objects/background.ts";
import { brokerOf } from "../../../platform/broker/index.ts";
import { machineObject } from "../../machine/index.ts";
import type { SessionRecord } from "../record.ts";
import { emitSessionEnded } from "../session-events.ts";
import { markSessionEnded } from "../store.ts";

interface CleanUp {
  /** The session without the parts that are gone. */
  record: SessionRecord;
  /** Errors of the parts that have to be retried. */
  failures: unknown[];
}

/**
 * Closes an ended session's browser, ends its machine and updates its row. A failure of one does not stop the
 * others. The session's pool is notified once all is done.
 */
export async function cleanUpSession(
  background: Background,
  record: SessionRecord,
  end: NonNullable<SessionRecord["end"]>,
): Promise<CleanUp> {
  const { env } = background;
  const { id, browserId, region, hasMachine, pool } = record;
  const [indexed, closed, ended] = await Promise.allSettled([
    markSessionEnded(openDatabase(env.DB), id, end).then(
      (row) => row && emitSessionEnded(background, row, end),
    ),
    browserId === undefined ? undefined : brokerOf(env, region).release(id, browserId),
    hasMachine ? machineObject(env, id).end() : undefined,
  ]);
  const failures = [indexed, closed, ended].flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  if (pool !== undefined && failures.length === 0) {
    await env.BROWSER_POOL.getByName(pool.id)
      .removeSession(id)
      .catch((error: unknown) => failures.push(error));
  }
  return {
    record: {
      ...record,
      ...(closed.status === "fulfilled" ? { browserId: undefined } : {}),
      ...(ended.status === "fulfilled" ? { hasMachine: false } : {}),
    },
    failures,
  };
}
