import { join } from "node:path";
import { withDatabase } from "../scripts/local/database.ts";
import { readServiceOptions } from "../scripts/local/service-options.ts";

/** Inserts ended sessions and invocations into the database of a stopped service. */
export async function seedLists(
  stateDirectory: string,
  organizations: readonly { id: string; rows: number }[],
): Promise<void> {
  const { database } = readServiceOptions(join(stateDirectory, "snapshot"));
  const location = { ...database, data: join(stateDirectory, "data", "v3") };
  await withDatabase(location, async (database) => {
    for (const { id, rows } of organizations) {
      await database.prepare(INSERT_SESSIONS).bind(rows, id).run();
      await database.prepare(INSERT_INVOCATIONS).bind(rows, id).run();
    }
  });
}

const NUMBERS = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)";

const INSERT_SESSIONS = `${NUMBERS}
  INSERT INTO browser_sessions (
    id, organization_id, state, name, tags, headless, stealth, kiosk_mode, timeout_seconds,
    viewport_width, viewport_height, viewport_refresh_rate, created_at, deleted_at, end_reason
  )
  SELECT lower(hex(randomblob(12))), ?2, 'ended', 'session-' || n, '{"team":"bench"}', 0, 0, 0, 60,
    1920, 1080, 25, unixepoch() * 1000 - n, unixepoch() * 1000, 'deleted'
  FROM numbers`;

/** One invocation per second, cycling through four values of each filter. */
const INSERT_INVOCATIONS = `${NUMBERS}
  INSERT INTO invocations (
    id, organization_id, app_name, version, action_name, deployment_id, status, status_reason, payload,
    payload_in_files, output, output_in_files, started_at, finished_at, logs_kept
  )
  SELECT lower(hex(randomblob(12))), ?2, 'app-' || (n & 3), 'version-' || (n & 3), 'action-' || (n & 3),
    'deployment-' || (n & 3), CASE n & 3 WHEN 1 THEN 'failed' ELSE 'succeeded' END, NULL, '{"item":' || n || '}',
    0, '[' || n || ']', 0, (unixepoch() - n) * 1000, (unixepoch() - n) * 1000 + 500, 0
  FROM numbers`;
