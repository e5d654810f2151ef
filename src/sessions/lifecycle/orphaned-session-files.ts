import { removeOrphanedObjects } from "../../common/orphaned-objects.ts";
import { openDatabase } from "../../database/client.ts";
import { listKnownIds } from "../../database/known-ids.ts";
import { browserSessions } from "../../database/schema/browser-sessions.ts";

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
