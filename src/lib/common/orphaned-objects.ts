import { newIdentifier } from "./identifiers.ts";

/** A page has 1,000 objects. The search of a larger prefix starts at a random key each time. */
const MAX_PAGES = 30;

/** A request writes the object before its owner's row. */
const GRACE_PERIOD_MS = 3_600_000;

const MINUTE_MS = 60_000;

interface OrphanSearch {
  /** R2 prefix ending in a slash; an organization's id follows it. */
  prefix: string;
  /** Each list call is billed, so the search runs only in this minute of each hour. */
  minute: number;
  /** The owner's id; undefined for keys to ignore. */
  ownerOf: (key: string) => string | undefined;
  findKnown: (owners: readonly string[]) => Promise<Set<string>>;
  now: number;
}

/**
 * Removes objects without an owner. A request that dies between the writes of its object and its row leaves
 * one. It is removed within two hours, or later if the prefix has more than 30,000 objects.
 */
export async function removeOrphanedObjects(files: R2Bucket, search: OrphanSearch): Promise<void> {
  if (Math.floor(search.now / MINUTE_MS) % 60 !== search.minute) return;
  let pages = 0;
  for await (const objects of listPages(files, search.prefix)) {
    await removeOrphans(files, objects, search);
    pages += 1;
    if (pages === MAX_PAGES) return;
  }
}

async function removeOrphans(
  files: R2Bucket,
  objects: readonly R2Object[],
  { ownerOf, findKnown, now }: OrphanSearch,
): Promise<void> {
  const old = objects.flatMap(({ key, uploaded }) => {
    const owner = uploaded.getTime() < now - GRACE_PERIOD_MS ? ownerOf(key) : undefined;
    return owner === undefined ? [] : [{ key, owner }];
  });
  if (old.length === 0) return;
  const known = await findKnown(old.map(({ owner }) => owner));
  const orphans = old.filter(({ owner }) => !known.has(owner));
  if (orphans.length > 0) await files.delete(orphans.map(({ key }) => key));
}

/** A prefix of one page takes one list call. Pages of a larger one start at a random key and wrap around. */
async function* listPages(files: R2Bucket, prefix: string): AsyncGenerator<R2Object[]> {
  const first = await files.list({ prefix });
  yield first.objects;
  const last = first.objects.at(-1)?.key;
  if (!first.truncated || last === undefined) return;
  const start = await pickRandomKey(files, prefix);
  yield* listRange(files, prefix, { after: start, end: `${prefix}\uffff` });
  yield* listRange(files, prefix, { after: last, end: start });
}

async function* listRange(
  files: R2Bucket,
  prefix: string,
  { after, end }: { after: string; end: string },
): AsyncGenerator<R2Object[]> {
  for (let startAfter: string | undefined = after; startAfter !== undefined && startAfter < end; ) {
    const { objects, truncated }: R2Objects = await files.list({ prefix, startAfter });
    yield objects;
    startAfter = truncated ? objects.at(-1)?.key : undefined;
  }
}

async function pickRandomKey(files: R2Bucket, prefix: string): Promise<string> {
  const place = `${prefix}${newIdentifier()}`;
  const { objects } = await files.list({ prefix, startAfter: place, limit: 1 });
  const organizationId = objects[0]?.key.slice(prefix.length).split("/")[0];
  return organizationId === undefined ? place : `${prefix}${organizationId}/${newIdentifier()}`;
}
