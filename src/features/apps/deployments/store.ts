import { and, desc, eq, exists, getTableColumns, gte, inArray, lt, not, or, sql } from "drizzle-orm";
import type { Database } from "../../../lib/database/client.ts";
import { contains, isOneOf } from "../../../lib/database/conditions.ts";
import { countByHour, type RecentRows } from "../../../lib/database/count-by-hour.ts";
import { isInProject, type ProjectScope } from "../../../lib/database/project-scope.ts";
import {
  type AppRow,
  apps,
  type DeploymentRow,
  type DeploymentState,
  deployments,
} from "../../../lib/database/schema/apps.ts";
import { unlessNameTaken } from "../../../lib/database/unique-violation.ts";
import type { PageRequest } from "../../../lib/http/pagination.ts";
import { insertWithinQuota, isKnownOrganization, type Quotas } from "../../organizations/index.ts";

/** The partial index is used only for this very condition. */
const isCurrent = sql`${apps.current} = 1`;
const COUNTED = {
  kind: "deployments",
  table: deployments,
  isCounted: inArray(deployments.state, ["queued", "in_progress", "running"]),
} as const;
const isUnfinished = sql`${deployments.state} IN ('queued', 'in_progress')`;

type VersionReference = Pick<DeploymentRow, "id" | "organizationId" | "projectId" | "version" | "createdAt">;

interface DeployedApp {
  app: AppRow;
  deployment: DeploymentRow;
}

/** Lists leave out the variables, which may be large. */
type ListedDeployment = Omit<DeploymentRow, "envVars">;

const { envVars: _, ...listedColumns } = getTableColumns(deployments);

/** @returns false at the limit of unfinished deployments. @throws ServiceError 429 or 413 at a quota. */
export async function insertDeployment(
  database: Database,
  row: DeploymentRow,
  limit: number,
  quotas: Quotas,
): Promise<boolean> {
  const unfinished = database.$count(
    deployments,
    and(eq(deployments.organizationId, row.organizationId), isUnfinished),
  );
  return insertWithinQuota(database, COUNTED, row, quotas, {
    condition: sql`${unfinished} < ${limit}`,
  });
}

export async function findDeployment(
  database: Database,
  scope: ProjectScope,
  id: string,
): Promise<DeploymentRow | undefined> {
  const [row] = await database
    .select()
    .from(deployments)
    .where(and(eq(deployments.id, id), isInProject(deployments, scope)));
  return row;
}

/** Newest first, with one row more than the page has. */
export async function listDeployments(
  database: Database,
  scope: ProjectScope,
  filter: { app_name?: string; app_version?: string; query?: string },
  page: PageRequest,
): Promise<ListedDeployment[]> {
  const { app_name: name, app_version: version, query } = filter;
  const hasApp = (condition: ReturnType<typeof and>) =>
    exists(
      database
        .select({ id: apps.id })
        .from(apps)
        .where(and(eq(apps.deploymentId, deployments.id), condition)),
    );
  return database
    .select(listedColumns)
    .from(deployments)
    .where(
      and(
        isInProject(deployments, scope),
        name === undefined
          ? undefined
          : hasApp(and(eq(apps.name, name), version === undefined ? undefined : eq(apps.version, version))),
        query ? or(eq(deployments.id, query), hasApp(contains(apps.name, query))) : undefined,
      ),
    )
    .orderBy(desc(deployments.createdAt), desc(deployments.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

/** Updates an unfinished deployment. {@link publishApps} sets the running state. */
export async function updateDeploymentState(
  database: Database,
  id: string,
  change: { state: DeploymentState; stateReason?: string; updatedAt: number },
): Promise<void> {
  await database
    .update(deployments)
    .set(change)
    .where(and(eq(deployments.id, id), isUnfinished));
}

function isEarlierDeployment({ id, createdAt }: VersionReference) {
  return sql`EXISTS (
    SELECT 1 FROM deployments AS other
    WHERE other.id = apps.deployment_id AND (other.created_at, other.id) < (${createdAt}, ${id}))`;
}

/**
 * Makes a deployment running and its apps current, in one batch. Can be repeated.
 *
 * @param replaces whether to replace apps of earlier deployments; later ones are never replaced.
 * @returns false when another deployment's app stays current.
 */
export async function publishApps(
  database: Database,
  deployment: VersionReference,
  rows: AppRow[],
  { replaces, at }: { replaces: boolean; at: number },
): Promise<boolean> {
  const { id, version } = deployment;
  const isInProgress = sql`EXISTS (SELECT 1 FROM deployments WHERE id = ${id} AND state = 'in_progress')`;
  const names = rows.map(({ name }) => name);
  const replace = database
    .update(apps)
    .set({ current: false })
    .where(
      and(
        isInProject(apps, deployment),
        eq(apps.version, version),
        isOneOf(apps.name, names),
        isCurrent,
        sql`${Number(replaces)} = 1`,
        isEarlierDeployment(deployment),
        isInProgress,
      ),
    );
  // The columns are in the order of the table.
  const insert = (row: AppRow) =>
    database.insert(apps).select(sql`
      SELECT ${row.id}, ${row.organizationId}, ${row.name}, ${row.version}, ${row.deploymentId},
        ${JSON.stringify(row.actions)}, ${row.createdAt}, 1, ${row.projectId}
      WHERE ${isInProgress}`);
  const run = database
    .update(deployments)
    .set({ state: "running", updatedAt: at })
    .where(and(eq(deployments.id, id), eq(deployments.state, "in_progress")));
  const publish = () => database.batch([replace, ...rows.map(insert), run]);
  return (await unlessNameTaken(publish)) !== "name-taken";
}

/** The names for which {@link publishApps} returns false. */
export async function listTakenNames(
  database: Database,
  deployment: VersionReference,
  names: string[],
  { replaces }: { replaces: boolean },
): Promise<string[]> {
  const { id, version } = deployment;
  const rows = await database
    .select({ name: apps.name })
    .from(apps)
    .where(
      and(
        isInProject(apps, deployment),
        eq(apps.version, version),
        isOneOf(apps.name, names),
        sql`${apps.deploymentId} <> ${id}`,
        replaces ? not(isEarlierDeployment(deployment)) : undefined,
        isCurrent,
      ),
    );
  return rows.map(({ name }) => name);
}

/** Running deployments that have no current app left. */
export async function listReplacedDeployments(
  database: Database,
  { id, organizationId, projectId, version }: VersionReference,
  names: string[],
): Promise<string[]> {
  const rows = await database.all<{ id: string }>(sql`
    SELECT id FROM deployments
    WHERE state = 'running' AND id <> ${id}
      AND id IN (
        SELECT deployment_id FROM apps
        WHERE organization_id = ${organizationId} AND project_id = ${projectId} AND version = ${version}
          AND name IN (SELECT value FROM json_each(${JSON.stringify(names)}))
      )
      AND NOT EXISTS (SELECT 1 FROM apps WHERE deployment_id = deployments.id AND current = 1)`);
  return rows.map((row) => row.id);
}

export async function hasCurrentApps(database: Database, id: string): Promise<boolean> {
  const rows = await database
    .select({ id: apps.id })
    .from(apps)
    .where(and(eq(apps.deploymentId, id), isCurrent))
    .limit(1);
  return rows.length > 0;
}

/** Makes a deployment stopped and its apps no longer current, in one batch. */
export async function unpublishApps(
  database: Database,
  id: string,
  change: { stateReason: string; updatedAt: number },
): Promise<void> {
  await database.batch([
    database.update(apps).set({ current: false }).where(eq(apps.deploymentId, id)),
    database
      .update(deployments)
      .set({ state: "stopped", ...change })
      .where(and(eq(deployments.id, id), sql`${deployments.state} IN ('queued', 'in_progress', 'running')`)),
  ]);
}

export async function removeApps(database: Database, deploymentId: string): Promise<void> {
  await database.delete(apps).where(eq(apps.deploymentId, deploymentId));
}

export async function findCurrentApp(
  database: Database,
  scope: ProjectScope,
  name: string,
  version: string,
): Promise<DeployedApp | undefined> {
  const [row] = await database
    .select({ app: apps, deployment: deployments })
    .from(apps)
    .innerJoin(deployments, eq(deployments.id, apps.deploymentId))
    .where(and(isInProject(apps, scope), eq(apps.name, name), eq(apps.version, version), isCurrent));
  return row;
}

export async function listCurrentVersions(
  database: Database,
  scope: ProjectScope,
  name: string,
): Promise<string[]> {
  const rows = await database
    .select({ version: apps.version })
    .from(apps)
    .where(and(isInProject(apps, scope), eq(apps.name, name), isCurrent))
    .orderBy(desc(apps.createdAt));
  return rows.map(({ version }) => version);
}

/** Newest first, with one app more than the page has. */
export async function listCurrentApps(
  database: Database,
  scope: ProjectScope,
  filter: { app_name?: string; version?: string; query?: string },
  page: PageRequest,
): Promise<{ app: AppRow; deployment: ListedDeployment }[]> {
  const { app_name: name, version, query } = filter;
  return database
    .select({ app: apps, deployment: listedColumns })
    .from(apps)
    .innerJoin(deployments, eq(deployments.id, apps.deploymentId))
    .where(
      and(
        isInProject(apps, scope),
        isCurrent,
        name === undefined ? undefined : eq(apps.name, name),
        version === undefined ? undefined : eq(apps.version, version),
        query ? or(eq(apps.id, query), eq(apps.deploymentId, query), contains(apps.name, query)) : undefined,
      ),
    )
    .orderBy(desc(apps.createdAt), desc(apps.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

export async function listStalledDeployments(
  database: Database,
  before: number,
  limit: number,
): Promise<DeploymentRow[]> {
  return database
    .select()
    .from(deployments)
    .where(and(isUnfinished, lt(deployments.updatedAt, before)))
    .orderBy(deployments.updatedAt)
    .limit(limit);
}

/** Looks up each organization once, not each deployment. */
export async function listOrphanedDeployments(
  database: Database,
  limit: number,
): Promise<Pick<DeploymentRow, "id" | "organizationId">[]> {
  const orphaned = await database.all<{ id: string }>(sql`
    WITH RECURSIVE present(id) AS (
      SELECT min(organization_id) FROM deployments
      UNION ALL
      SELECT (SELECT min(organization_id) FROM deployments WHERE organization_id > present.id)
        FROM present WHERE present.id IS NOT NULL
    )
    SELECT id FROM present
    WHERE id IS NOT NULL AND NOT ${isKnownOrganization(sql`present.id`)}`);
  const ids = orphaned.map(({ id }) => id);
  return database
    .select({ id: deployments.id, organizationId: deployments.organizationId })
    .from(deployments)
    .where(isOneOf(deployments.organizationId, ids))
    .limit(limit);
}

/** A statement. */
export function failedDeploymentsByHour(database: Database, recent: RecentRows) {
  const isFailed = and(eq(deployments.state, "failed"), gte(deployments.createdAt, recent.earliest));
  return countByHour(database, deployments, recent, deployments.updatedAt, isFailed);
}

export async function removeDeployment(database: Database, id: string): Promise<void> {
  await database.batch([
    database.delete(apps).where(eq(apps.deploymentId, id)),
    database.delete(deployments).where(eq(deployments.id, id)),
  ]);
}
