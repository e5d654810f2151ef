import type { z } from "@hono/zod-openapi";
import { and, count, eq, gte, inArray, ne, type SQL, type SQLWrapper, sql, sum } from "drizzle-orm";
import { notFound } from "../common/errors.ts";
import type { Settings } from "../common/settings.ts";
import type { Database } from "../database/client.ts";
import { deployments, invocations } from "../database/schema/apps.ts";
import { browserPools } from "../database/schema/browser-pools.ts";
import { browserSessions } from "../database/schema/browser-sessions.ts";
import { organizations } from "../database/schema/organizations.ts";
import { TEST_EVENT, webhookDeliveries, webhooks } from "../database/schema/webhooks.ts";
import { storedBytes } from "./quotas.ts";
import type { overviewSchema } from "./schema.ts";

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** Longer than an invocation, a deployment or the attempts of a delivery take, so that an index finds what failed. */
const MAX_DURATION_MS = 48 * HOUR_MS;

type Overview = z.infer<typeof overviewSchema>;

/** Rows by the hour in which something happened, counted from the first one. */
type Hours<T> = readonly (T & { hour: number })[];

/** All of it in one transaction. @throws ServiceError 404 when the organization is gone. */
export async function readOverview(
  database: Database,
  organizationId: string,
  settings: Settings,
  now: number,
): Promise<Overview> {
  const since = (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS;
  const [[organization], [living], unfinished, created, ended, started, ...failed] = await database.batch([
    selectOrganization(database, organizationId),
    selectLivingSessions(database, organizationId),
    selectUnfinishedInvocations(database, organizationId),
    selectCreatedSessions(database, organizationId, since),
    selectEndedSessions(database, organizationId, since),
    selectStartedInvocations(database, organizationId, since),
    selectFailedInvocations(database, organizationId, since),
    selectFailedDeployments(database, organizationId, since),
    selectFailedDeliveries(database, organizationId, since),
  ]);
  if (organization === undefined) throw notFound("organization");
  const [failedInvocations, failedDeployments, failedDeliveries] = failed;
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
      sessions_lost: total(ended, ({ lost }) => lost),
      invocations_failed: total(failedInvocations),
      deployments_failed: total(failedDeployments),
      webhook_deliveries_failed: total(failedDeliveries),
    },
    hours: Array.from({ length: HOURS }, (_, hour) => {
      const inHour = <T>(rows: Hours<T>) => rows.filter((row) => row.hour === hour);
      return {
        starts_at: new Date(since + hour * HOUR_MS).toISOString(),
        sessions_created: total(inHour(created)),
        sessions_ended: total(inHour(ended)),
        invocations_started: total(inHour(started)),
        errors: failed.reduce(
          (errors, rows) => errors + total(inHour(rows)),
          total(inHour(ended), ({ lost }) => lost),
        ),
      };
    }),
  };
}

function total<T extends { count: number }>(
  rows: readonly T[],
  countOf: (row: T) => number = (row) => row.count,
): number {
  return rows.reduce((before, row) => before + countOf(row), 0);
}

/** Names the column `hour`, to group by it. */
function hourOf(column: SQLWrapper, since: number) {
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

// SQLite uses a partial index only if the query repeats its condition literally, so the states are not bound parameters.

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

function selectCreatedSessions(database: Database, organizationId: string, since: number) {
  return database
    .select({ hour: hourOf(browserSessions.createdAt, since), count: count() })
    .from(browserSessions)
    .where(
      and(
        eq(browserSessions.organizationId, organizationId),
        gte(browserSessions.createdAt, since),
        sql`state IN ('active', 'ended')`,
      ),
    )
    .groupBy(sql`hour`);
}

function selectEndedSessions(database: Database, organizationId: string, since: number) {
  return database
    .select({
      hour: hourOf(browserSessions.deletedAt, since),
      count: count(),
      lost: countIf(sql`end_reason = 'browser_lost'`),
    })
    .from(browserSessions)
    .where(
      and(
        eq(browserSessions.organizationId, organizationId),
        sql`state = 'ended'`,
        gte(browserSessions.deletedAt, since),
      ),
    )
    .groupBy(sql`hour`);
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

function selectStartedInvocations(database: Database, organizationId: string, since: number) {
  return database
    .select({ hour: hourOf(invocations.startedAt, since), count: count() })
    .from(invocations)
    .where(and(eq(invocations.organizationId, organizationId), gte(invocations.startedAt, since)))
    .groupBy(sql`hour`);
}

function selectFailedInvocations(database: Database, organizationId: string, since: number) {
  return database
    .select({ hour: hourOf(invocations.finishedAt, since), count: count() })
    .from(invocations)
    .where(
      and(
        eq(invocations.organizationId, organizationId),
        eq(invocations.status, "failed"),
        gte(invocations.startedAt, since - MAX_DURATION_MS),
        gte(invocations.finishedAt, since),
      ),
    )
    .groupBy(sql`hour`);
}

function selectFailedDeployments(database: Database, organizationId: string, since: number) {
  return database
    .select({ hour: hourOf(deployments.updatedAt, since), count: count() })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        eq(deployments.state, "failed"),
        gte(deployments.createdAt, since - MAX_DURATION_MS),
        gte(deployments.updatedAt, since),
      ),
    )
    .groupBy(sql`hour`);
}

function selectFailedDeliveries(database: Database, organizationId: string, since: number) {
  return database
    .select({ hour: hourOf(webhookDeliveries.endedAt, since), count: count() })
    .from(webhooks)
    .innerJoin(webhookDeliveries, eq(webhookDeliveries.webhookId, webhooks.id))
    .where(
      and(
        eq(webhooks.organizationId, organizationId),
        eq(webhookDeliveries.state, "failed"),
        ne(webhookDeliveries.eventType, TEST_EVENT),
        gte(webhookDeliveries.createdAt, since - MAX_DURATION_MS),
        gte(webhookDeliveries.endedAt, since),
      ),
    )
    .groupBy(sql`hour`);
}
