/** The files of a backup. `objects` is a folder of contents, each named after its SHA-256. */
export const BACKUP_FILES = {
  manifest: "manifest.json",
  database: "database.sql",
  catalog: "objects.jsonl",
  objects: "objects",
} as const;
