import { and, count, desc, eq, gte, inArray, isNotNull, lt, not, type SQL, sql } from "drizzle-orm";
import { notFound } from "../../../lib/common/errors.ts";
import type { Database } from "../../../lib/database/client.ts";
import { contains, isOneOf } from "../../../lib/database/conditions.ts";
import { countByHour, type RecentRows } from "../../../lib/database/count-by-hour.ts";
import { insertWhere } from "../../../lib/database/insert-where.ts";
import { isInProject, type ProjectScope } from "../../../lib/database/project-scope.ts";
import {
  apps,
  type InvocationRow,
  type InvocationStatus,
  invocations,
} from "../../../lib/database/schema/apps.ts";
import type { PageRequest } from "../../../lib/http/pagination.ts";
import {
  allHold,
  budgetCheck,
  type Check,
  invocationLimit,
  isEnabledOrganization,
  isKnownOrganization,
  limitChecks,
} from "../../organizations/index.ts";
import { count as addToCounter, addUsage } from "../../usage/index.ts";

// Partial indexes are used only for these very conditions, without bound values.
const isUnfinished = sql`finished_at IS NULL`;
const hasLogs = sql`logs_kept = 1`;

export type InvocationReference = Pick<InvocationRow, "id" | "organizationId" | "projectId">;

const referenceColumns = {
  id: invocations.id,
  organizationId: invocations.organizationId,
  projectId: invocations.projectId,
};

/**
 * Inserts a queued invocation in one statement that checks its app, its organization, its project, the budget
 * and the limits, so that stopping the app or disabling the organization finds it. Its usage is counted in
 * the same statement.
 *
 * @returns false when a check failed.
 */
export async function insertQueuedInvocation(
  database: Database,
  row: InvocationRow,
  { appId, limit, apiKeyId }: { appId: string; limit: number; apiKeyId: string | null },
): Promise<boolean> {
  const { id, organizationId, startedAt } = row;
  const mayRun = sql`EXISTS (SELECT 1 FROM ${apps} WHERE ${apps.id} = ${appId} AND ${apps.current} = 1)
    AND ${isEnabledOrganization(organizationId)}
    AND (SELECT count(*) FROM ${invocations} WHERE ${isActive(organizationId)}) < ${limit}
    AND ${allHold(invocationChecks(row))}`;
  const isInserted = sql`EXISTS (SELECT 1 FROM ${invocations} WHERE ${invocations.id} = ${id})`;
  const usage = { invocations: 1, dynamicWorkers: 1 };
  return insertWhere(database, invocations, row, mayRun, [
    addUsage(database, { ...row, apiKeyId }, startedAt, usage, isInserted),
  ]);
}

export function invocationChecks(scope: ProjectScope): Check[] {
  const unfinished = sql`(SELECT count(*) FROM invocations AS counted
    WHERE counted.organization_id = ${scope.organizationId} AND counted.project_id = ${scope.projectId}
      AND counted.status IN ('queued', 'running'))`;
  const fits = sql`coalesce(${unfinished} < ${invocationLimit(scope)}, TRUE)`;
  return [budgetCheck(scope), ...limitChecks(scope, fits)];
}

export async function countUnfinished(database: Database, organizationId: string): Promise<number> {
  return database.$count(invocations, isActive(organizationId));
}

function isActive(organizationId: string): SQL | undefined {
  return and(
    eq(invocations.organizationId, organizationId),
    inArray(invocations.status, ["queued", "running"]),
  );
}

export async function findInvocation(
  database: Database,
  scope: ProjectScope,
  id: string,
): Promise<InvocationRow | undefined> {
  const [row] = await database
    .select()
    .from(invocations)
    .where(and(isInProject(invocations, scope), eq(invocations.id, id)));
  return row;
}

/** @throws ServiceError 404 when the project has no such invocation. */
export async function requireInvocation(
  database: Database,
  scope: ProjectScope,
  id: string,
): Promise<InvocationRow> {
  const row = await findInvocation(database, scope, id);
  if (row === undefined) throw notFound("invocation");
  return row;
}

export interface InvocationFilter {
  appName?: string;
  version?: string;
  actionName?: string;
  deploymentId?: string;
  status?: InvocationStatus;
  /** Milliseconds since the epoch. */
  since?: number;
  query?: string;
}

/** Newest first, with one row more than the page has. */
export async function listInvocations(
  database: Database,
  scope: ProjectScope,
  filter: InvocationFilter,
  page: PageRequest,
): Promise<InvocationRow[]> {
  return database
    .select()
    .from(invocations)
    .where(and(isInProject(invocations, scope), ...filterConditions(filter)))
    .orderBy(desc(invocations.startedAt), desc(invocations.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

function filterConditions(filter: InvocationFilter): (SQL | undefined)[] {
  const { appName, version, actionName, deploymentId, status, since, query } = filter;
  const { id } = invocations;
  return [
    appName === undefined ? undefined : eq(invocations.appName, appName),
    version === undefined ? undefined : eq(invocations.version, version),
    actionName === undefined ? undefined : eq(invocations.actionName, actionName),
    deploymentId === undefined ? undefined : eq(invocations.deploymentId, deploymentId),
    status === undefined ? undefined : eq(invocations.status, status),
    since === undefined ? undefined : gte(invocations.startedAt, since),
    query
      ? sql`(${id} = ${query} OR ${contains(invocations.appName, query)} OR ${contains(invocations.actionName, query)})`
      : undefined,
  ];
}

export async function markInvocationRunning(database: Database, id: string): Promise<void> {
  await database
    .update(invocations)
    .set({ status: "running" })
    .where(and(eq(invocations.id, id), eq(invocations.status, "queued")));
}

export type InvocationResult = Pick<InvocationRow, "statusReason" | "output" | "outputInFiles"> & {
  status: Extract<InvocationStatus, "succeeded" | "failed">;
  finishedAt: number;
};

/** Does nothing to a finished invocation. @returns whether it was unfinished. */
export async function finishInvocation(
  database: Database,
  id: string,
  end: InvocationResult,
): Promise<boolean> {
  const isFound = and(eq(invocations.id, id), isUnfinished);
  const counter = { name: "invocations_finished", label: end.status } as const;
  const [, rows] = await database.batch([
    addToCounter(database, counter, sql`${invocations} WHERE ${isFound}`),
    database.update(invocations).set(end).where(isFound).returning({ id: invocations.id }),
  ]);
  return rows.length > 0;
}

export async function listUnfinishedOfDeployment(
  database: Database,
  deploymentId: string,
): Promise<InvocationReference[]> {
  return database
    .select(referenceColumns)
    .from(invocations)
    .where(and(eq(invocations.deploymentId, deploymentId), isUnfinished));
}

/** Unfinished invocations of disabled or deleted organizations. */
export async function listUnfinishedOrphans(database: Database): Promise<InvocationReference[]> {
  return database
    .select(referenceColumns)
    .from(invocations)
    .where(and(isUnfinished, not(isEnabledOrganization(invocations.organizationId))));
}

/** In random order, so that a few that always fail do not block the others. */
export async function listUnfinishedBefore(
  database: Database,
  startedBefore: number,
  limit: number,
): Promise<InvocationReference[]> {
  return database
    .select(referenceColumns)
    .from(invocations)
    .where(and(lt(invocations.startedAt, startedBefore), isUnfinished))
    .orderBy(sql`random()`)
    .limit(limit);
}

/** Oldest first. */
export async function listWithLogsBefore(
  database: Database,
  finishedBefore: number,
  limit: number,
): Promise<InvocationReference[]> {
  return database
    .select(referenceColumns)
    .from(invocations)
    .where(and(lt(invocations.finishedAt, finishedBefore), hasLogs))
    .orderBy(invocations.finishedAt)
    .limit(limit);
}

export async function markLogsDeleted(database: Database, ids: readonly string[]): Promise<void> {
  await database.update(invocations).set({ logsKept: false }).where(isOneOf(invocations.id, ids));
}

/** Invocations of deleted organizations. */
export async function listFinishedOrphans(
  database: Database,
  limit: number,
): Promise<(InvocationReference & Pick<InvocationRow, "logsKept">)[]> {
  // Looks up each organization once, not each invocation.
  const deletedOrganizations = sql`(WITH RECURSIVE owners (id) AS (
      SELECT min(organization_id) FROM invocations
      UNION ALL
      SELECT (SELECT min(organization_id) FROM invocations WHERE organization_id > owners.id)
        FROM owners WHERE owners.id IS NOT NULL
    )
    SELECT id FROM owners WHERE NOT ${isKnownOrganization(sql`owners.id`)})`;
  return database
    .select({ ...referenceColumns, logsKept: invocations.logsKept })
    .from(invocations)
    .where(and(inArray(invocations.organizationId, deletedOrganizations), isNotNull(invocations.finishedAt)))
    .limit(limit);
}

/** Statements that count unfinished invocations, and by the hour those that began and failed. */
export function countRecentInvocations(database: Database, recent: RecentRows) {
  const { status, startedAt, finishedAt } = invocations;
  const isFailed = and(eq(status, "failed"), gte(startedAt, recent.earliest));
  return [
    database
      .select({ status, count: count() })
      .from(invocations)
      .where(isActive(recent.organizationId))
      .groupBy(status),
    countByHour(database, invocations, recent, startedAt),
    countByHour(database, invocations, recent, finishedAt, isFailed),
  ] as const;
}

export async function removeInvocations(database: Database, ids: readonly string[]): Promise<void> {
  await database.delete(invocations).where(isOneOf(invocations.id, ids));
}
