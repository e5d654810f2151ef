import type { z } from "@hono/zod-openapi";
import { and, count, eq, gte, inArray, type SQL, type SQLWrapper, sql, sum } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { notFound } from "../../lib/common/errors.ts";
import type { Settings } from "../../lib/common/settings.ts";
import type { Database } from "../../lib/database/client.ts";
import { deployments, invocations } from "../../lib/database/schema/apps.ts";
import { browserPools } from "../../lib/database/schema/browser-pools.ts";
import { browserSessions } from "../../lib/database/schema/browser-sessions.ts";
import { organizations } from "../../lib/database/schema/organizations.ts";
import { storedBytes } from "./quotas.ts";
import type { overviewSchema } from "./schema.ts";

const HOUR_MS = 3_600_000;
const HOURS = 24;

/**
 * Longer than an invocation, a deployment or all attempts of a delivery take, so that an index finds what
 * failed.
 */
const MAX_DURATION_MS = 48 * HOUR_MS;

type Overview = z.infer<typeof overviewSchema>;

/** How often something happened in an hour, counted from the first one. */
interface Counted {
  hour: number;
  count: number;
}

/** A statement for failures from `since` on of what began after `earliest`. */
type FailuresByHour = (
  database: Database,
  organizationId: string,
  since: number,
  earliest: number,
) => RunnableQuery<Counted[], "sqlite">;

type OwnedTable = SQLiteTable & { organizationId: SQLiteColumn };

/** All of it in one transaction. @throws ServiceError 404 when the organization is gone. */
export async function readOverview(
  database: Database,
  organizationId: string,
  settings: Settings,
  now: number,
  failedDeliveriesByHour: FailuresByHour,
): Promise<Overview> {
  const since = (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS;
  // The start time is bounded so that an index finds what has failed since then.
  const earliest = since - MAX_DURATION_MS;
  /** Counts the rows of a table by the hour of a column. */
  const countByHour = (table: OwnedTable, at: SQLiteColumn, condition?: SQL) =>
    database
      .select({ hour: hourOf(at, since), count: count() })
      .from(table)
      .where(and(eq(table.organizationId, organizationId), gte(at, since), condition))
      .groupBy(sql`hour`);
  const [[organization], [living], unfinished, created, ended, started, ...failed] = await database.batch([
    selectOrganization(database, organizationId),
    selectLivingSessions(database, organizationId),
    selectUnfinishedInvocations(database, organizationId),
    countByHour(browserSessions, browserSessions.createdAt, sql`state IN ('active', 'ended')`),
    countByHour(browserSessions, browserSessions.deletedAt, sql`state = 'ended'`),
    countByHour(invocations, invocations.startedAt),
    countByHour(
      browserSessions,
      browserSessions.deletedAt,
      sql`state = 'ended' AND end_reason = 'browser_lost'`,
    ),
    countByHour(
      invocations,
      invocations.finishedAt,
      and(eq(invocations.status, "failed"), gte(invocations.startedAt, earliest)),
    ),
    countByHour(
      deployments,
      deployments.updatedAt,
      and(eq(deployments.state, "failed"), gte(deployments.createdAt, earliest)),
    ),
    failedDeliveriesByHour(database, organizationId, since, earliest),
  ]);
  if (organization === undefined) throw notFound("organization");
  const [lostSessions, failedInvocations, failedDeployments, failedDeliveries] = failed;
  const invocationsOf = (wanted: string) => unfinished.find(({ status }) => status === wanted)?.count ?? 0;
  return {
    sessions: {
      active: living?.own ?? 0,
      limit: organization.maxConcurrentSessions ?? settings.maxConcurrentSessions,
    },
    pools: {
      pools: organization.pools,
      size: organization.poolSize,
      available: living?.available ?? 0,
      acquired: living?.acquired ?? 0,
      limit: organization.maxPooledSessions ?? settings.maxPooledSessions,
    },
    invocations: {
      running: invocationsOf("running"),
      queued: invocationsOf("queued"),
      limit: settings.maxConcurrentInvocations,
    },
    storage: { used_bytes: organization.storedBytes, limit_bytes: settings.quotas.storedBytes },
    errors: {
      sessions_lost: total(lostSessions),
      invocations_failed: total(failedInvocations),
      deployments_failed: total(failedDeployments),
      webhook_deliveries_failed: total(failedDeliveries),
    },
    hours: Array.from({ length: HOURS }, (_, hour) => {
      const inHour = (rows: readonly Counted[]) => total(rows.filter((row) => row.hour === hour));
      return {
        starts_at: new Date(since + hour * HOUR_MS).toISOString(),
        sessions_created: inHour(created),
        sessions_ended: inHour(ended),
        invocations_started: inHour(started),
        errors: inHour(failed.flat()),
      };
    }),
  };
}

function total(rows: readonly Counted[]): number {
  return rows.reduce((sum, row) => sum + row.count, 0);
}

/** Names the column `hour`, to group by it. */
export function hourOf(column: SQLWrapper, since: number) {
  return sql<number>`CAST((${column} - ${since}) / ${HOUR_MS} AS INTEGER)`.as("hour");
}

function countIf(condition: SQL): SQL<number> {
  return sql<number>`count(CASE WHEN ${condition} THEN 1 END)`;
}

function selectOrganization(database: Database, organizationId: string) {
  const ofPools = (value: SQL) =>
    sql<number>`(SELECT ${value} FROM ${browserPools} WHERE ${browserPools.organizationId} = ${organizationId})`;
  return database
    .select({
      maxConcurrentSessions: organizations.maxConcurrentSessions,
      maxPooledSessions: organizations.maxPooledSessions,
      pools: ofPools(sql`count(*)`),
      poolSize: ofPools(sql`coalesce(${sum(browserPools.size)}, 0)`),
      storedBytes: storedBytes(organizationId),
    })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
}

// SQLite uses a partial index only if the query repeats its condition literally, so the states are not bound
// parameters.

function selectLivingSessions(database: Database, organizationId: string) {
  return database
    .select({
      own: countIf(sql`pool_id IS NULL`),
      available: countIf(sql`pool_id IS NOT NULL AND state = 'idle'`),
      acquired: countIf(sql`pool_id IS NOT NULL AND state = 'active'`),
    })
    .from(browserSessions)
    .where(and(eq(browserSessions.organizationId, organizationId), sql`state <> 'ended'`));
}

function selectUnfinishedInvocations(database: Database, organizationId: string) {
  return database
    .select({ status: invocations.status, count: count() })
    .from(invocations)
    .where(
      and(eq(invocations.organizationId, organizationId), inArray(invocations.status, ["queued", "running"])),
    )
    .groupBy(invocations.status);
}
