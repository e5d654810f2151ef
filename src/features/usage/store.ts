import { and, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Prices } from "../../lib/common/prices.ts";
import type { Database } from "../../lib/database/client.ts";
import { isOneOf } from "../../lib/database/conditions.ts";
import { browserSessions } from "../../lib/database/schema/browser-sessions.ts";
import { usageHours } from "../../lib/database/schema/usage.ts";
import { selectStoredBytes } from "../organizations/index.ts";
import { insertUsage } from "./add-usage.ts";
import { estimateCosts } from "./costs.ts";
import type { Amounts, Usage, UsageQuery } from "./schema.ts";
import { HOUR_MS, sessionTime } from "./time.ts";

const DAY_MS = 24 * HOUR_MS;

/** Longer than the time since the epoch: the time of a session is not split. */
const ALL_MS = 100_000 * DAY_MS;

/** The most rows in a response; more than the hours of 366 days. */
const MAX_ROWS = 10_000;

export async function readUsage(database: Database, query: UsageQuery, prices: Prices): Promise<Usage> {
  const { from, to, groupBy, tag = "" } = query;
  const columns: Record<typeof groupBy, SQL> = {
    day: sql`strftime('%Y-%m-%dT00:00:00.000Z', hour / 1000, 'unixepoch')`,
    hour: sql`strftime('%Y-%m-%dT%H:00:00.000Z', hour / 1000, 'unixepoch')`,
    key: sql`nullif(api_key_id, '')`,
    tag: sql`(SELECT value FROM json_each(tags) WHERE key = ${tag})`,
    pool: sql`nullif(pool_id, '')`,
    organization: sql`organization_id`,
  };
  const interval = groupBy === "hour" ? HOUR_MS : groupBy === "day" ? DAY_MS : ALL_MS;
  const [groups, [sum]] = await database.batch([
    selectUse(database, query, interval, columns[groupBy])
      .groupBy(sql`1`)
      .orderBy(sql`1`)
      .limit(MAX_ROWS + 1),
    selectUse(database, query, ALL_MS, sql`NULL`),
  ]);
  if (sum === undefined) throw new Error("A sum has a row");
  const addCosts = <T extends Amounts>(usage: T) => ({
    ...usage,
    estimated_usd: estimateCosts(usage, prices),
  });
  const { group: _, ...total } = sum;
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    group_by: groupBy,
    rows: groups.slice(0, MAX_ROWS).map(addCosts),
    is_truncated: groups.length > MAX_ROWS,
    total: addCosts(total),
    prices,
  };
}

/** Ended sessions' usage is in `usage_hours`. Living sessions' time is added in the same statement. */
function selectUse(
  database: Database,
  { organizationIds, from, to, now }: UsageQuery,
  interval: number,
  group: SQL,
) {
  const isOf = (column: typeof usageHours.organizationId | typeof browserSessions.organizationId) =>
    organizationIds && isOneOf(column, organizationIds);
  const until = Math.min(to, now);
  // The states are not bound, so that SQLite uses the partial indexes.
  const isLiving = sql`state <> 'ended' AND state <> 'starting'`;
  const living = and(isOf(browserSessions.organizationId), isLiving, lt(browserSessions.createdAt, until));
  const ended = and(isOf(usageHours.organizationId), gte(usageHours.hour, from), lt(usageHours.hour, to));
  const used = sql`(SELECT * FROM ${usageHours} WHERE ${ended}
    UNION ALL SELECT * FROM (${sessionTime(living, { from, until, interval })}))`;
  const sum = (column: string) => sql<number>`coalesce(sum(${sql.raw(column)}), 0)`;
  return database
    .select({
      group: sql<string | null>`${group}`,
      browser_seconds: sql<number>`${sum("browser_ms")} / 1000.0`,
      sessions: sum("sessions"),
      invocations: sum("invocations"),
      dynamic_workers: sum("dynamic_workers"),
      recorded_minutes: sql<number>`${sum("recorded_ms")} / 60000.0`,
      stored_byte_hours: sum("stored_byte_hours"),
      proxied_bytes: sum("proxied_bytes"),
      standby_seconds: sql<number>`${sum("standby_ms")} / 1000.0`,
      linux_machine_seconds: sql<number>`${sum("linux_ms")} / 1000.0`,
      linux_machine_usd: sql<number>`${sum("linux_microdollars")} / 1000000.0`,
    })
    .from(used)
    .$dynamic();
}

/** Counts the bytes that each organization stores for the hour of `now`, once. */
export async function sampleStorage(database: Database, now: number): Promise<void> {
  const hour = now - (now % HOUR_MS);
  const bytes = selectStoredBytes((id) => {
    const isOfNow = sql`${usageHours.organizationId} = ${id} AND ${usageHours.hour} = ${hour}`;
    return sql`NOT EXISTS (SELECT 1 FROM ${usageHours} WHERE ${isOfNow} AND stored_byte_hours > 0)`;
  });
  await insertUsage(
    database,
    sql`SELECT id, ${hour}, '', '', '', '{}', 0, 0, 0, 0, 0, bytes, 0, 0, 0, 0 FROM (${bytes}) WHERE bytes > 0`,
  );
}

export async function removeUsageBefore(database: Database, hour: number): Promise<void> {
  await database.delete(usageHours).where(lt(usageHours.hour, hour));
}
