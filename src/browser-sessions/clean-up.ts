import { openDatabase } from "../database/client.ts";
import { closeLaunchedBrowser } from "./session-launch.ts";
import type { SessionRecord } from "./session-record.ts";
import { markSessionEnded } from "./store.ts";

/** What cleaning up has come to. */
interface CleanUp {
  /** The session without what is gone for good. */
  record: SessionRecord;
  /** Why the rest is to be tried again; empty where there is none. */
  failures: unknown[];
}

/** Closes an ended session's browser, ends its machine and tells the index; what fails holds up nothing else. */
export async function cleanUpSession(
  env: Env,
  record: SessionRecord,
  end: NonNullable<SessionRecord["end"]>,
): Promise<CleanUp> {
  const { id, browserId, hasMachine } = record;
  const [indexed, closed, ended] = await Promise.allSettled([
    markSessionEnded(openDatabase(env.DB), id, end.reason, end.at),
    browserId === undefined ? undefined : closeLaunchedBrowser(env, browserId),
    hasMachine ? env.SESSION_MACHINE.getByName(id).end() : undefined,
  ]);
  return {
    record: {
      ...record,
      ...(closed.status === "fulfilled" ? { browserId: undefined } : {}),
      ...(ended.status === "fulfilled" ? { hasMachine: false } : {}),
    },
    failures: [indexed, closed, ended].flatMap((result) =>
      result.status === "rejected" ? [result.reason] : [],
    ),
  };
}
