import { sweepInSteps } from "../../lib/common/concurrency.ts";
import { removeOrphanedObjects } from "../../lib/common/orphaned-objects.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { listKnownIds } from "../../lib/database/known-ids.ts";
import { extensions } from "../../lib/database/schema/extensions.ts";
import { extensionIdOf, ZIPS_PREFIX, zipKey } from "./extension-files.ts";
import { listUnusedExtensions, removeExtensions } from "./store.ts";

const MAX_ROWS = 500;

/** Cleans up after deleted extensions that no session uses, and interrupted uploads. */
export async function sweepExtensions(env: Env, now: number): Promise<void> {
  const database = openDatabase(env.DB);
  await sweepInSteps([
    () => removeUnused(env),
    () =>
      removeOrphanedObjects(env.FILES, {
        prefix: ZIPS_PREFIX,
        minute: 10,
        ownerOf: extensionIdOf,
        findKnown: (ids) => listKnownIds(database, extensions, ids),
        now,
      }),
  ]);
}

async function removeUnused(env: Env): Promise<void> {
  const database = openDatabase(env.DB);
  const unused = await listUnusedExtensions(database, MAX_ROWS);
  if (unused.length === 0) return;
  await env.FILES.delete(unused.map(({ id, organizationId }) => zipKey(organizationId, id)));
  await removeExtensions(
    database,
    unused.map(({ id }) => id),
  );
}
