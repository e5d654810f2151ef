import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { R2Bucket } from "@cloudflare/workers-types";
import { z } from "zod";

/** The files of a backup. `objects` is a folder of contents, each named after its SHA-256. */
export const BACKUP_FILES = {
  manifest: "manifest.json",
  database: "database.sql",
  catalog: "objects.jsonl",
  objects: "objects",
} as const;

const storedObjectSchema = z.object({
  key: z.string(),
  size: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** ETag of the original, to recognize it in the bucket. */
  etag: z.string(),
  http_metadata: z.record(z.string(), z.string()),
  custom_metadata: z.record(z.string(), z.string()),
});

export type StoredObject = z.infer<typeof storedObjectSchema>;

/** Number of objects that are copied at once. */
const PARALLEL = 8;

/** Objects per line of progress. */
const PROGRESS_STEP = 500;

/** Reads `objects.jsonl`: the objects of a backup by key. A later line replaces an earlier one. */
export function readCatalog(folder: string): Map<string, StoredObject> {
  const path = join(folder, BACKUP_FILES.catalog);
  const catalog = new Map<string, StoredObject>();
  if (!existsSync(path)) return catalog;
  for (const line of readFileSync(path, "utf8").split("\n")) {
    // The last line of an interrupted backup may be incomplete.
    if (!line.endsWith("}")) continue;
    const object = storedObjectSchema.parse(JSON.parse(line));
    catalog.set(object.key, object);
  }
  return catalog;
}

/**
 * Copies the bucket's objects that the backup lacks. Each is recorded as soon as it is stored, so that an
 * interrupted backup continues where it stopped. Objects that vanish meanwhile are left out.
 */
export async function saveObjects(bucket: R2Bucket, folder: string): Promise<void> {
  const catalog = readCatalog(folder);
  mkdirSync(join(folder, BACKUP_FILES.objects), { recursive: true, mode: 0o700 });
  for await (const page of listPages(bucket)) {
    const missing = page.filter(({ key, etag }) => catalog.get(key)?.etag !== etag);
    await forEachInParallel(missing, async ({ key }) => {
      const object = await saveObject(bucket, folder, key);
      if (object === undefined) return;
      appendFileSync(join(folder, BACKUP_FILES.catalog), `${JSON.stringify(object)}\n`, { mode: 0o600 });
      catalog.set(key, object);
      if (catalog.size % PROGRESS_STEP === 0) console.log(`Files: ${catalog.size} …`);
    });
  }
}

/** Rewrites the catalog with one line per object. @returns the objects. */
export function tidyCatalog(folder: string): StoredObject[] {
  const objects = [...readCatalog(folder).values()];
  const path = join(folder, BACKUP_FILES.catalog);
  writeFileSync(`${path}.new`, objects.map((object) => `${JSON.stringify(object)}\n`).join(""), {
    mode: 0o600,
  });
  renameSync(`${path}.new`, path);
  return objects;
}

/**
 * Puts the backup's objects into a bucket. Objects that already exist are skipped, so that an interrupted
 * restore continues where it stopped. Other objects are deleted.
 */
export async function restoreObjects(bucket: R2Bucket, folder: string): Promise<void> {
  const missing = readCatalog(folder);
  for await (const page of listPages(bucket)) {
    const foreign = page.filter(({ key }) => !missing.has(key)).map(({ key }) => key);
    if (foreign.length > 0) await bucket.delete(foreign);
    for (const { key, etag } of page) if (missing.get(key)?.etag === etag) missing.delete(key);
  }
  let restored = 0;
  await forEachInParallel([...missing.values()], async ({ key, sha256, http_metadata, custom_metadata }) => {
    const content = readFileSync(join(folder, BACKUP_FILES.objects, sha256));
    await bucket.put(key, new Uint8Array(content), {
      httpMetadata: http_metadata,
      customMetadata: custom_metadata,
    });
    restored++;
    if (restored % PROGRESS_STEP === 0) console.log(`Files: ${restored} of ${missing.size} …`);
  });
}

export async function countObjects(bucket: R2Bucket): Promise<number> {
  let count = 0;
  for await (const page of listPages(bucket)) count += page.length;
  return count;
}

export async function emptyBucket(bucket: R2Bucket): Promise<void> {
  for await (const page of listPages(bucket)) await bucket.delete(page.map(({ key }) => key));
}

async function saveObject(bucket: R2Bucket, folder: string, key: string): Promise<StoredObject | undefined> {
  const object = await bucket.get(key);
  if (object === null) return undefined;
  const content = Buffer.from(await object.arrayBuffer());
  const sha256 = createHash("sha256").update(content).digest("hex");
  const path = join(folder, BACKUP_FILES.objects, sha256);
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return storedObjectSchema.parse({
    key,
    size: content.length,
    sha256,
    etag: object.etag,
    http_metadata: object.httpMetadata ?? {},
    custom_metadata: object.customMetadata ?? {},
  });
}

/** A deleted object of an earlier page does not disturb the cursor. */
async function* listPages(bucket: R2Bucket): AsyncGenerator<{ key: string; etag: string }[]> {
  let cursor: string | undefined;
  do {
    const page = await bucket.list({ cursor });
    yield page.objects.map(({ key, etag }) => ({ key, etag }));
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
}

async function forEachInParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const remaining = items.values();
  const worker = async () => {
    for (const item of remaining) await work(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
