import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { SetUpError } from "../local/set-up-error.ts";
import { countRows, Dump, saveDatabase } from "./database.ts";
import { fingerprintOf, hashFile, type Manifest, writeManifest } from "./manifest.ts";
import { BACKUP_FILES, saveObjects, tidyCatalog } from "./objects.ts";
import type { Storage } from "./storage.ts";

const KNOWN_NAMES: ReadonlySet<string> = new Set(
  Object.values(BACKUP_FILES).flatMap((name) => [name, `${name}.new`]),
);

interface SaveOptions {
  folder: string;
  /** What is backed up, for display. */
  source: string;
  encryptionKey: string | undefined;
}

/** @throws SetUpError when the folder contains a backup, or anything but an interrupted one. */
export function requireFreeFolder(folder: string): void {
  if (!existsSync(folder)) return;
  if (existsSync(join(folder, BACKUP_FILES.manifest))) {
    throw new SetUpError(`${folder} already contains a backup. Choose another folder.`);
  }
  const foreign = readdirSync(folder).find((name) => !KNOWN_NAMES.has(name));
  if (foreign !== undefined)
    throw new SetUpError(`${folder} contains ${foreign}. Choose a new or an empty folder.`);
}

/** @throws SetUpError when a database was never used. */
export async function requireTables(database: D1Database): Promise<void> {
  const tables = Object.keys(await countRows(database));
  if (tables.length === 0) throw new SetUpError("There is nothing to back up: the database has no tables.");
}

/** Backs up a storage into a free folder, which it creates. An interrupted backup there is continued. */
export async function saveBackup(storage: Storage, options: SaveOptions): Promise<Manifest> {
  const { folder, source, encryptionKey } = options;
  const path = join(folder, BACKUP_FILES.database);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
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
