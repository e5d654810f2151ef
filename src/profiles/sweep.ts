import { openDatabase } from "../database/client.ts";
import { newIdentifier } from "../http/identifiers.ts";
import { logError } from "../log.ts";
import { deleteProfileContents } from "./delete-contents.ts";
import { CONTENT_PREFIX, parseContentKey } from "./profile-content.ts";
import { listContents, markForsakenProfilesDeleted, removeUnusedProfiles } from "./store.ts";

/** What is looked after in one run. */
const MOST_ROWS = 100;
const MOST_OBJECTS = 500;

/** A content that is younger may be about to become its profile's. */
const GRACE_MS = 3_600_000;

/** Removes what is left of deleted profiles, of organizations that are gone, and of saves that broke off. */
export async function sweepProfiles(env: Env, now: number): Promise<void> {
  const database = openDatabase(env.DB);
  const steps = [
    async () => deleteProfileContents(env, await markForsakenProfilesDeleted(database, now, MOST_ROWS)),
    () => removeUnusedProfiles(database, MOST_ROWS),
    () => removeOrphans(env, now - GRACE_MS),
  ];
  for (const step of steps) {
    await step().catch((error) => logError("sweep_step_failed", error));
  }
}

/** Removes contents from before a time that are no profile's. */
async function removeOrphans(env: Env, before: number): Promise<void> {
  const old = (await listSomeObjects(env.FILES)).filter(({ uploaded }) => uploaded.getTime() < before);
  const contents = old.flatMap(({ key }) => {
    const parsed = parseContentKey(key);
    return parsed === undefined ? [] : [{ key, ...parsed }];
  });
  if (contents.length === 0) return;
  const inUse = await listContents(
    openDatabase(env.DB),
    contents.map(({ profileId }) => profileId),
  );
  const orphans = contents.filter(({ contentId }) => !inUse.has(contentId));
  if (orphans.length > 0) await env.FILES.delete(orphans.map(({ key }) => key));
}

/** Other ones in each run, if there are more: from a random place on, and round to the beginning. */
async function listSomeObjects(files: R2Bucket): Promise<R2Object[]> {
  const startAfter = `${CONTENT_PREFIX}${newIdentifier()}`;
  const after = await files.list({ prefix: CONTENT_PREFIX, startAfter, limit: MOST_OBJECTS });
  const room = MOST_OBJECTS - after.objects.length;
  if (after.truncated || room <= 0) return after.objects;
  const first = await files.list({ prefix: CONTENT_PREFIX, limit: room });
  return [...after.objects, ...first.objects.filter(({ key }) => key <= startAfter)];
}
