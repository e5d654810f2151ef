import { type SQL, sql } from "drizzle-orm";
import { browserSessions } from "../../lib/database/schema/browser-sessions.ts";

export const HOUR_MS = 3_600_000;

/** How long usage is kept; longer than the longest range that can be requested. */
export const RETENTION_MS = 400 * 24 * HOUR_MS;

/** The calendar month in UTC, in milliseconds since the epoch. */
export function monthOf(now: number): { start: number; end: number } {
  const date = new Date(now);
  const startOf = (month: number) => Date.UTC(date.getUTCFullYear(), month);
  return { start: startOf(date.getUTCMonth()), end: startOf(date.getUTCMonth() + 1) };
}

/** A session's key, pool and tags as columns of `usage_hours`. @param isUser false: only the pool. */
export function groupsOfSession(isUser = sql`TRUE`): SQL {
  return sql`iif(${isUser}, coalesce(api_key_id, ''), ''), coalesce(pool_id, ''), iif(${isUser},
    (SELECT json_group_object(key, value) FROM (SELECT key, value FROM json_each(${browserSessions.tags}) ORDER BY key)), '{}')`;
}

interface TimeRange {
  /** Milliseconds since the epoch, as `until`. */
  from: number;
  until: number;
  /** Length of the intervals that the time is split into, in milliseconds. They begin at the epoch. */
  interval: number;
}

/**
 * Selects the browser time of living sessions since they were created, leased or returned to their pool, in
 * rows like those of `usage_hours`. A session itself is counted in its first interval, unless it is idle.
 */
export function sessionTime(sessions: SQL | undefined, { from, until, interval }: TimeRange): SQL {
  const start = sql`max(created_at, ${from})`;
  return sql`WITH RECURSIVE pieces (organization_id, start, project_id, api_key_id, pool_id, tags, begins_at, sessions, standby_ms) AS (
      SELECT organization_id, ${start} - ${start} % ${interval}, project_id, ${groupsOfSession()}, ${start},
        state <> 'idle' AND created_at >= ${from}, iif(created_at >= ${from}, standby_ms, 0)
        FROM ${browserSessions} WHERE ${sessions}
      UNION ALL
      SELECT organization_id, start + ${interval}, project_id, api_key_id, pool_id, tags, start + ${interval}, FALSE, 0
        FROM pieces WHERE start + ${interval} < ${until}
    )
    SELECT organization_id, start, project_id, api_key_id, pool_id, tags,
      max(0, min(${until}, start + ${interval}) - begins_at), sessions, 0, 0, 0, 0, 0, standby_ms, 0, 0
    FROM pieces WHERE TRUE`;
}
