import { logError } from "../common/log.ts";
import { removeOrphanedObjects } from "../common/orphaned-objects.ts";
import { openDatabase } from "../database/client.ts";
import { deleteProfileContents } from "./delete-contents.ts";
import { CONTENT_PREFIX, contentOfKey } from "./profile-content.ts";
import { listKnownContents, markForsakenProfilesDeleted, removeUnusedProfiles } from "./store.ts";

/** What is looked after in one run. */
const MAX_ROWS = 100;

/** Removes what is left of deleted profiles, of organizations that are gone, and of saves that broke off. */
export async function sweepProfiles(env: Env, now: number): Promise<void> {
  const database = openDatabase(env.DB);
  const steps = [
    async () => deleteProfileContents(env, await markForsakenProfilesDeleted(database, now, MAX_ROWS)),
    () => removeUnusedProfiles(database, MAX_ROWS),
    () =>
      removeOrphanedObjects(env.FILES, {
        prefix: CONTENT_PREFIX,
        ownerOf: contentOfKey,
        findKnown: (names) => listKnownContents(database, names),
        now,
      }),
  ];
  for (const step of steps) {
    await step().catch((error) => logError("sweep_step_failed", error));
  }
}
