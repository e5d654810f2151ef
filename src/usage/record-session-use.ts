import { logError } from "../common/log.ts";
import { openDatabase } from "../database/client.ts";
import { addSessionUse, type Use } from "./add-use.ts";

/** Counts what a session uses besides its time. Never rejects, because a lost count must not fail the use. */
export async function recordSessionUse(env: Env, sessionId: string, use: Partial<Use>): Promise<void> {
  await addSessionUse(openDatabase(env.DB), sessionId, Date.now(), use).catch((error: unknown) =>
    logError("use_not_counted", error, { session_id: sessionId }),
  );
}
