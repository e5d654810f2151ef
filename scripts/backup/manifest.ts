import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseJSON } from "../../src/lib/common/parse-json.ts";
import { SetUpError } from "../local/set-up-error.ts";
import { BACKUP_FILES, readCatalog } from "./objects.ts";

const manifestSchema = z.object({
  format: z.literal(1),
  /** ISO 8601. */
  created_at: z.string(),
  /** What was backed up, for display. */
  source: z.string(),
  /** Applied migrations in their order: the version of the database's schema. */
  migrations: z.array(z.string()),
  /** Number of rows of each table. */
  tables: z.record(z.string(), z.number().int().nonnegative()),
  objects: z.object({ count: z.number().int().nonnegative(), bytes: z.number().int().nonnegative() }),
  /** SHA-256 of `database.sql` and `objects.jsonl`, which in turn contains those of the objects. */
  sha256: z.object({ database: z.string(), catalog: z.string() }),
  /** Tells keys apart without revealing anything about the key; null when the key was not given. */
  encryption_key_fingerprint: z.string().nullable(),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** Written last and in one step: a folder with a manifest is a complete backup. */
export function writeManifest(folder: string, manifest: Manifest): void {
  const path = join(folder, BACKUP_FILES.manifest);
  writeFileSync(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/**
 * Reads a backup's manifest and checks all of its files against it.
 *
 * @throws SetUpError when the backup is incomplete, was changed, or is of an unknown format.
 */
export async function readVerifiedManifest(folder: string): Promise<Manifest> {
  const path = join(folder, BACKUP_FILES.manifest);
  if (!existsSync(path)) {
    throw new SetUpError(`${folder} is not a complete backup: it has no ${BACKUP_FILES.manifest}.`);
  }
  const parsed = manifestSchema.safeParse(parseJSON(readFileSync(path, "utf8")));
  if (!parsed.success) throw new SetUpError(`${path} is invalid:\n${z.prettifyError(parsed.error)}`);
  const manifest = parsed.data;
  await requireHash(join(folder, BACKUP_FILES.database), manifest.sha256.database);
  await requireHash(join(folder, BACKUP_FILES.catalog), manifest.sha256.catalog);
  const objects = [...readCatalog(folder).values()];
  if (objects.length !== manifest.objects.count) {
    throw new SetUpError(`The backup lists ${objects.length} files instead of ${manifest.objects.count}.`);
  }
  for (const { sha256 } of objects) await requireHash(join(folder, BACKUP_FILES.objects, sha256), sha256);
  return manifest;
}

/** Describes a backup in two lines. */
export function describeManifest({ created_at, source, tables, objects, migrations }: Manifest): string {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const mebibytes = (objects.bytes / 2 ** 20).toFixed(1);
  return `Backup of ${source}, ${created_at}
${rows} rows in ${Object.keys(tables).length} tables (schema: ${migrations.at(-1)}), ${objects.count} files with ${mebibytes} MiB`;
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

/** @param key `ENCRYPTION_KEY`, or undefined if it is not known. */
export function fingerprintOf(key: string | undefined): string | null {
  if (!key) return null;
  return createHash("sha256").update(`fingerprint of ENCRYPTION_KEY\n${key}`).digest("hex").slice(0, 16);
}

async function requireHash(path: string, expected: string): Promise<void> {
  if (!existsSync(path)) throw new SetUpError(`The backup is damaged: ${path} is missing.`);
  if ((await hashFile(path)) !== expected)
    throw new SetUpError(`The backup is damaged: ${path} was changed.`);
}
