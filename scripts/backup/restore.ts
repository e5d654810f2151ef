import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { D1Database } from "@cloudflare/workers-types";
import { ROOT } from "../local/paths.ts";
import { SetUpError } from "../local/set-up-error.ts";
import { countRows, Dump, hasRows } from "./database.ts";
import { fingerprintOf, type Manifest } from "./manifest.ts";
import { BACKUP_FILES, countObjects, restoreObjects } from "./objects.ts";
import type { Storage } from "./storage.ts";

/** Checks that this version of Berth can use the backup. @throws SetUpError with the reason. */
export function requireUsable(manifest: Manifest, encryptionKey: string | undefined): void {
  const known = new Set(readdirSync(join(ROOT, "migrations")).filter((name) => name.endsWith(".sql")));
  const unknown = manifest.migrations.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new SetUpError(
      `The backup is of a newer version of Berth: this one does not know ${unknown.join(", ")}.`,
    );
  }
  const fingerprint = fingerprintOf(encryptionKey);
  if (fingerprint === null || manifest.encryption_key_fingerprint === null) {
    console.log(
      "ENCRYPTION_KEY was not compared, because it was not set for the backup or is not set now. With another key,\n" +
        "stored profiles, proxy passwords, env_vars and webhooks cannot be read.",
    );
  } else if (fingerprint !== manifest.encryption_key_fingerprint) {
    throw new SetUpError(
      "ENCRYPTION_KEY is not the key of this backup. With this key, stored profiles, proxy passwords, env_vars and\n" +
        "webhooks could not be read. Set ENCRYPTION_KEY to the key of the service that was backed up.",
    );
  }
}

/** @throws SetUpError when the storage contains data. */
export async function requireEmpty({ database, bucket }: Storage): Promise<void> {
  if (!(await hasRows(database)) && (await countObjects(bucket)) === 0) return;
  throw new SetUpError(
    "The target contains data. --overwrite deletes it first. It also continues an interrupted restore.",
  );
}

interface Backup {
  folder: string;
  manifest: Manifest;
  dump: Dump;
}

/** Loads the rows of a backup. @throws SetUpError when they cannot be loaded. */
export function openDump(folder: string): Promise<Dump> {
  return Dump.open(join(folder, BACKUP_FILES.database));
}

/**
 * Replaces everything in the storage with the backup. Files come first, because rows reference them.
 *
 * @throws SetUpError when the result differs from the backup.
 */
export async function restoreBackup(storage: Storage, { folder, manifest, dump }: Backup): Promise<void> {
  console.log("Restoring the files …");
  await restoreObjects(storage.bucket, folder);
  console.log("Restoring the database …");
  await dump.restoreTo(storage.database);
  const rows = await countRows(storage.database);
  if (!isDeepStrictEqual(rows, manifest.tables)) {
    throw new SetUpError(
      `The rows differ from the backup: ${JSON.stringify(rows)} instead of ${JSON.stringify(manifest.tables)}.`,
    );
  }
  const objects = await countObjects(storage.bucket);
  if (objects !== manifest.objects.count)
    throw new SetUpError(`${objects} files were restored instead of ${manifest.objects.count}.`);
  await endLostSessions(storage.database, Date.parse(manifest.created_at));
}

/** Ends the sessions that were running: their browsers and objects are not in a backup. */
async function endLostSessions(database: D1Database, time: number): Promise<void> {
  await database.batch([
    database
      .prepare(
        `UPDATE browser_sessions SET state = 'ended', end_reason = 'browser_lost', deleted_at = ?,
         clients = 0, viewers = 0, idle_since = NULL WHERE state = 'active'`,
      )
      .bind(time),
    database.prepare("DELETE FROM browser_sessions WHERE state IN ('starting', 'idle')"),
  ]);
}
