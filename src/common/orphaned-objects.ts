import { newIdentifier } from "./identifiers.ts";

/** Objects that are looked at in one run. */
const MAX_OBJECTS = 500;

/** The owner of an object that is younger may be about to be written. */
const GRACE_MS = 3_600_000;

interface OrphanSearch {
  /** Where the objects are in R2, with its last slash; an organization's id comes next. */
  prefix: string;
  /** Whose object has this key; undefined: it is none of those that are looked after here. */
  ownerOf: (key: string) => string | undefined;
  /** Those of these owners that the database knows. */
  findKnown: (owners: readonly string[]) => Promise<Set<string>>;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Removes objects that are nobody's: a request stores its object before the row that it belongs to, and may die between
 * the two.
 */
export async function removeOrphanedObjects(
  files: R2Bucket,
  { prefix, ownerOf, findKnown, now }: OrphanSearch,
): Promise<void> {
  const objects = await listSomeObjects(files, prefix);
  const old = objects.flatMap(({ key, uploaded }) => {
    const owner = uploaded.getTime() < now - GRACE_MS ? ownerOf(key) : undefined;
    return owner === undefined ? [] : [{ key, owner }];
  });
  if (old.length === 0) return;
  const known = await findKnown(old.map(({ owner }) => owner));
  const orphans = old.filter(({ owner }) => !known.has(owner));
  if (orphans.length > 0) await files.delete(orphans.map(({ key }) => key));
}

/** Other ones in each run, if there are more: from a random place on, and round to the beginning. */
async function listSomeObjects(files: R2Bucket, prefix: string): Promise<R2Object[]> {
  const startAfter = await findRandomPlace(files, prefix);
  const after = await files.list({ prefix, startAfter, limit: MAX_OBJECTS });
  const room = MAX_OBJECTS - after.objects.length;
  if (after.truncated || room <= 0) return after.objects;
  const first = await files.list({ prefix, limit: room });
  return [...after.objects, ...first.objects.filter(({ key }) => key <= startAfter)];
}

/** Somewhere among the objects of some organization, which may have more of them than a run looks at. */
async function findRandomPlace(files: R2Bucket, prefix: string): Promise<string> {
  const place = `${prefix}${newIdentifier()}`;
  const { objects } = await files.list({ prefix, startAfter: place, limit: 1 });
  const organizationId = objects[0]?.key.slice(prefix.length).split("/")[0];
  return organizationId === undefined ? place : `${prefix}${organizationId}/${newIdentifier()}`;
}
