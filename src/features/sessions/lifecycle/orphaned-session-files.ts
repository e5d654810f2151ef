import { removeOrphanedObjects } from "../../../lib/common/orphaned-objects.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import { listKnownIds } from "../../../lib/database/known-ids.ts";
import { browserSessions } from "../../../lib/database/schema/browser-sessions.ts";

/** Where the events and screenshots of ended sessions are stored. */
const PREFIXES = ["telemetry/", "evidence/"];

/**
 * Removes files whose session is no longer listed. A session's object removes its own files, but after a
 * restore there is no such object.
 */
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
