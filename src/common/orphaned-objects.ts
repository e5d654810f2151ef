import { newIdentifier } from "./identifiers.ts";

const MAX_OBJECTS = 500;

/** A request writes the object before its owner's row. */
const GRACE_PERIOD_MS = 3_600_000;

interface OrphanSearch {
  /** R2 prefix ending in a slash; an organization's id follows it. */
  prefix: string;
  /** The owner's id; undefined for keys to ignore. */
  ownerOf: (key: string) => string | undefined;
  findKnown: (owners: readonly string[]) => Promise<Set<string>>;
  now: number;
}

/**
 * Removes objects without an owner. A request that dies between the writes of its object and its row leaves
 * one.
 */
export async function removeOrphanedObjects(
  files: R2Bucket,
  { prefix, ownerOf, findKnown, now }: OrphanSearch,
): Promise<void> {
  const objects = await sampleObjects(files, prefix);
  const old = objects.flatMap(({ key, uploaded }) => {
    const owner = uploaded.getTime() < now - GRACE_PERIOD_MS ? ownerOf(key) : undefined;
    return owner === undefined ? [] : [{ key, owner }];
  });
  if (old.length === 0) return;
  const known = await findKnown(old.map(({ owner }) => owner));
  const orphans = old.filter(({ owner }) => !known.has(owner));
  if (orphans.length > 0) await files.delete(orphans.map(({ key }) => key));
}

/** A random range covers a large bucket in repeated runs. */
async function sampleObjects(files: R2Bucket, prefix: string): Promise<R2Object[]> {
  const startAfter = await pickRandomKey(files, prefix);
  const after = await files.list({ prefix, startAfter, limit: MAX_OBJECTS });
  const room = MAX_OBJECTS - after.objects.length;
  if (after.truncated || room <= 0) return after.objects;
  const first = await files.list({ prefix, limit: room });
  return [...after.objects, ...first.objects.filter(({ key }) => key <= startAfter)];
}

async function pickRandomKey(files: R2Bucket, prefix: string): Promise<string> {
  const place = `${prefix}${newIdentifier()}`;
  const { objects } = await files.list({ prefix, startAfter: place, limit: 1 });
  const organizationId = objects[0]?.key.slice(prefix.length).split("/")[0];
  return organizationId === undefined ? place : `${prefix}${organizationId}/${newIdentifier()}`;
}
