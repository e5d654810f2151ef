import { openDatabase } from "../../database/client.ts";
import type { SessionRecord } from "../record.ts";
import { markSessionEnded } from "../store.ts";
import { closeLaunchedBrowser } from "./launched-browsers.ts";

/** What cleaning up has come to. */
interface CleanUp {
  /** The session without what is gone for good. */
  record: SessionRecord;
  /** Why the rest is to be tried again; empty where there is none. */
  failures: unknown[];
}

/**
 * Closes an ended session's browser, ends its machine and tells the index; what fails holds up nothing else. Once all
 * is done the session's pool, where it belongs to one, hears of it.
 */
export async function cleanUpSession(
  env: Env,
  record: SessionRecord,
  end: NonNullable<SessionRecord["end"]>,
): Promise<CleanUp> {
  const { id, browserId, hasMachine, pool } = record;
  const [indexed, closed, ended] = await Promise.allSettled([
    markSessionEnded(openDatabase(env.DB), id, end),
    browserId === undefined ? undefined : closeLaunchedBrowser(env, browserId),
    hasMachine ? env.SESSION_MACHINE.getByName(id).end() : undefined,
  ]);
  const failures = [indexed, closed, ended].flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  if (pool !== undefined && failures.length === 0) {
    await env.BROWSER_POOL.getByName(pool.id)
      .hearSessionEnded(id)
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
