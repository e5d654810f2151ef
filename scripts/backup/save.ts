import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SetUpError } from "../local/set-up-error.ts";
import { Dump, saveDatabase } from "./database.ts";
import { BACKUP_FILES } from "./files.ts";
import { fingerprintOf, hashFile, type Manifest, writeManifest } from "./manifest.ts";
import { saveObjects, tidyCatalog } from "./objects.ts";
import type { Storage } from "./storage.ts";

const KNOWN_NAMES: ReadonlySet<string> = new Set(
  Object.values(BACKUP_FILES).flatMap((name) => [name, `${name}.new`]),
);

interface SaveOptions {
  folder: string;
  /** What is backed up, for people. */
  source: string;
  encryptionKey: string | undefined;
}

/** Creates the folder. @throws SetUpError when it contains a backup or anything else. */
export function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (existsSync(join(folder, BACKUP_FILES.manifest))) {
    throw new SetUpError(`${folder} already contains a backup. Choose another folder.`);
  }
  const foreign = readdirSync(folder).find((name) => !KNOWN_NAMES.has(name));
  if (foreign !== undefined)
    throw new SetUpError(`${folder} contains ${foreign}. Choose a new or an empty folder.`);
}

/** Backs up a storage into a prepared folder. An interrupted backup in the folder is continued. */
export async function saveBackup(storage: Storage, options: SaveOptions): Promise<Manifest> {
  const { folder, source, encryptionKey } = options;
  const path = join(folder, BACKUP_FILES.database);
  console.log("Copying the files …");
  await saveObjects(storage.bucket, folder);
  console.log("Copying the database …");
  rmSync(path, { force: true });
  await saveDatabase(storage.database, path);
  // Rows may reference files that were stored after the first pass.
  await saveObjects(storage.bucket, folder);
  const objects = tidyCatalog(folder);
  using dump = await Dump.open(path);
  const manifest: Manifest = {
    format: 1,
    created_at: new Date().toISOString(),
    source,
    migrations: dump.migrations(),
    tables: dump.rowCounts(),
    objects: { count: objects.length, bytes: objects.reduce((sum, { size }) => sum + size, 0) },
    sha256: { database: await hashFile(path), catalog: await hashFile(join(folder, BACKUP_FILES.catalog)) },
    encryption_key_fingerprint: fingerprintOf(encryptionKey),
  };
  writeManifest(folder, manifest);
  return manifest;
}
