import { sweepInSteps } from "../../lib/common/concurrency.ts";
import { removeOrphanedObjects } from "../../lib/common/orphaned-objects.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { deleteProfileContents } from "./delete-contents.ts";
import { CONTENT_PREFIX, contentNameOf } from "./profile-content.ts";
import { listKnownContents, markOrphanedProfilesDeleted, removeUnusedProfiles } from "./store.ts";

const MAX_ROWS = 100;

/** Cleans up after deleted profiles, deleted organizations, and interrupted saves. */
export async function sweepProfiles(env: Env, now: number): Promise<void> {
  const database = openDatabase(env.DB);
  await sweepInSteps([
    async () => deleteProfileContents(env, await markOrphanedProfilesDeleted(database, now, MAX_ROWS)),
    () => removeUnusedProfiles(database, MAX_ROWS),
    () =>
      removeOrphanedObjects(env.FILES, {
        prefix: CONTENT_PREFIX,
        minute: 20,
        ownerOf: contentNameOf,
        findKnown: (names) => listKnownContents(database, names),
        now,
      }),
  ]);
}
