import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { isOneOf } from "../database/conditions.ts";
import { browserSessions } from "../database/schema/browser-sessions.ts";
import { organizations } from "../database/schema/organizations.ts";
import { usageHours } from "../database/schema/usage.ts";
import { storedBytes } from "../organizations/index.ts";
import { insertUse, type Use } from "./add-use.ts";
import { HOUR_MS, sessionTime } from "./session-time.ts";

const DAY_MS = 24 * HOUR_MS;

/** Longer than the time since the epoch: the time of a session is not split. */
const ALL_MS = 100_000 * DAY_MS;

export const GROUPINGS = ["day", "hour", "key", "tag", "pool", "organization"] as const;

export type Grouping = (typeof GROUPINGS)[number];

export interface UsageFilter {
  /** Undefined: all. */
  organizationIds?: string[];
  /** Beginnings of hours, in milliseconds since the epoch. */
  from: number;
  to: number;
  now: number;
}

/** The most rows of an answer; more than the hours of 366 days. */
const MAX_GROUPS = 10_000;

export interface UsageGroup extends Use {
  /** Null: none, as for browsers that wait in a pool when keys are listed. */
  group: string | number | null;
}

export interface Usage {
  filter: UsageFilter;
  groupBy: Grouping;
  /** In order, at most 10,000. */
  groups: UsageGroup[];
  /** Of all groups, also those that are left out. */
  total: Use;
  isTruncated: boolean;
}

/** @param tag the name of the tag whose values are groups. */
export async function readUsage(
  database: Database,
  filter: UsageFilter,
  { groupBy, tag = "" }: { groupBy: Grouping; tag?: string },
): Promise<Usage> {
  const columns: Record<Grouping, SQL> = {
    day: sql`hour - hour % ${DAY_MS}`,
    hour: sql`hour`,
    key: sql`nullif(api_key_id, '')`,
    tag: sql`(SELECT value FROM json_each(tags) WHERE key = ${tag})`,
    pool: sql`nullif(pool_id, '')`,
    organization: sql`organization_id`,
  };
  const interval = groupBy === "hour" ? HOUR_MS : groupBy === "day" ? DAY_MS : ALL_MS;
  const [groups, [total]] = await database.batch([
    selectUse(database, filter, interval, columns[groupBy])
      .groupBy(sql`1`)
      .orderBy(sql`1`)
      .limit(MAX_GROUPS + 1),
    selectUse(database, filter, ALL_MS, sql`NULL`),
  ]);
  if (total === undefined) throw new Error("A sum has a row");
  const isTruncated = groups.length > MAX_GROUPS;
  return { filter, groupBy, groups: groups.slice(0, MAX_GROUPS), total, isTruncated };
}

/** What has ended is in `usage_hours`. The time of living sessions is added, in the same statement. */
function selectUse(
  database: Database,
  { organizationIds, from, to, now }: UsageFilter,
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
      group: sql<UsageGroup["group"]>`${group}`,
      browserMs: sum("browser_ms"),
      sessions: sum("sessions"),
      invocations: sum("invocations"),
      dynamicWorkers: sum("dynamic_workers"),
      recordedMs: sum("recorded_ms"),
      storedByteHours: sum("stored_byte_hours"),
      proxiedBytes: sum("proxied_bytes"),
    })
    .from(used)
    .$dynamic();
}

/** Counts the bytes that each organization stores for the hour of `now`, once. */
export async function sampleStorage(database: Database, now: number): Promise<void> {
  const hour = now - (now % HOUR_MS);
  const sampled = sql`SELECT 1 FROM ${usageHours} WHERE ${and(
    eq(usageHours.organizationId, organizations.id),
    eq(usageHours.hour, hour),
    sql`${usageHours.storedByteHours} > 0`,
  )}`;
  const bytes = sql`(SELECT ${organizations.id} AS id, ${storedBytes(organizations.id)} AS bytes FROM ${organizations}
    WHERE NOT EXISTS (${sampled}))`;
  await insertUse(
    database,
    sql`SELECT id, ${hour}, '', '', '', '{}', 0, 0, 0, 0, 0, bytes, 0 FROM ${bytes} WHERE bytes > 0`,
  );
}

export async function removeUsageBefore(database: Database, hour: number): Promise<void> {
  await database.delete(usageHours).where(lt(usageHours.hour, hour));
}
