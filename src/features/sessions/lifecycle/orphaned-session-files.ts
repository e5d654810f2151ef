import { removeOrphanedObjects } from "../../../lib/common/orphaned-objects.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import { listKnownIds } from "../../../lib/database/known-ids.ts";
import { browserSessions } from "../../../lib/database/schema/browser-sessions.ts";

/** Where the events and screenshots of ended sessions are stored. */
const PREFIXES = ["telemetry/", "evidence/"];

/** Removes files of sessions no longer listed. Their objects do that, but after a restore there are none. */
export async function removeOrphanedSessionFiles(env: Env, now: number): Promise<void> {
  const database = openDatabase(env.DB);
  for (const prefix of PREFIXES) {
    await removeOrphanedObjects(env.FILES, {
      prefix,
      minute: 0,
      ownerOf: (key) => /\/([^/.]+)\.[^/]+$/.exec(key)?.[1],
      findKnown: (ids) => listKnownIds(database, browserSessions, ids),
      now,
    });
  }
}
