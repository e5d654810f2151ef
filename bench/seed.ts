import { join } from "node:path";
import { getPlatformProxy } from "wrangler";

/** Gives an organization ended sessions, straight in the database of a service that is stopped. */
export async function seedEndedSessions(
  stateDirectory: string,
  organizations: readonly { id: string; sessions: number }[],
): Promise<void> {
  const proxy = await getPlatformProxy<{ DB: D1DatabaseLike }>({
    configPath: join(stateDirectory, "snapshot", "database.json"),
    persist: { path: join(stateDirectory, "data", "v3") },
    remoteBindings: false,
  });
  try {
    for (const { id, sessions } of organizations) {
      await proxy.env.DB.prepare(INSERT).bind(sessions, id).run();
    }
  } finally {
    await proxy.dispose();
  }
}

interface D1DatabaseLike {
  prepare(query: string): { bind(...values: unknown[]): { run(): Promise<unknown> } };
}

const INSERT = `
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
  INSERT INTO browser_sessions (
    id, organization_id, state, name, tags, headless, stealth, kiosk_mode, timeout_seconds,
    viewport_width, viewport_height, viewport_refresh_rate, created_at, deleted_at, end_reason
  )
  SELECT lower(hex(randomblob(12))), ?2, 'ended', 'session-' || n, '{"team":"bench"}', 0, 0, 0, 60,
    1920, 1080, 25, unixepoch() * 1000 - n, unixepoch() * 1000, 'deleted'
  FROM numbers`;
