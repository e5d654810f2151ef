import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export const MANY_SESSIONS = 10_000;

const KEY = "berth_key-of-the-organization-with-many-sessions";

const DATABASE = "data/v3/d1/miniflare-D1DatabaseObject/[0-9a-f]*.sqlite";

/** Adds an organization with many ended sessions to a stopped service's database. @returns its API key. */
export function addManySessions(stateDirectory: string): string {
  const [file] = globSync(`${stateDirectory}/${DATABASE}`);
  if (file === undefined) throw new Error(`There is no database in ${stateDirectory}`);
  const database = new DatabaseSync(file);
  try {
    const now = Date.now();
    database
      .prepare("INSERT INTO organizations (id, name, created_at) VALUES ('many', 'many sessions', ?)")
      .run(now);
    database
      .prepare(
        `INSERT INTO api_keys (id, organization_id, name, key_hash, masked_key, scope, created_at, created_by)
         VALUES ('manykey', 'many', 'first key', ?, 'berth_key…', 'organization', ?, 'operator')`,
      )
      .run(createHash("sha256").update(KEY).digest("hex"), now);
    database
      .prepare(
        `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
         INSERT INTO browser_sessions (
           id, organization_id, state, name, tags, headless, stealth, kiosk_mode, timeout_seconds,
           viewport_width, viewport_height, viewport_refresh_rate, created_at, deleted_at, end_reason, extension_ids)
         SELECT printf('many%020d', n), 'many', 'ended', 'session ' || n, json_object('number', CAST(n AS TEXT)), 0, 0, 0, 60,
           1920, 1080, 25, ? - n * 1000, ? - n * 900, 'deleted', '[]'
         FROM number`,
      )
      .run(MANY_SESSIONS, now, now);
  } finally {
    database.close();
  }
  return KEY;
}
