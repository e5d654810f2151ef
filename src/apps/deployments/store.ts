import { and, desc, eq, exists, getTableColumns, lt, not, or, sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import { contains, isOneOf } from "../../database/conditions.ts";
import {
  type AppRow,
  apps,
  type DeploymentRow,
  type DeploymentState,
  deployments,
} from "../../database/schema/apps.ts";
import { isUniqueViolation } from "../../database/unique-violation.ts";
import type { PageRequest } from "../../http/pagination.ts";
import { insertWithinQuota, type Quotas } from "../../organizations/index.ts";

/** As the partial indexes have it. */
const isCurrent = sql`${apps.current} = 1`;
const isUnfinished = sql`${deployments.state} IN ('queued', 'in_progress')`;

/** The version that a deployment brings. */
type VersionReference = Pick<DeploymentRow, "id" | "organizationId" | "version" | "createdAt">;

/** A version of an app, and the deployment that brought it. */
export interface DeployedApp {
  app: AppRow;
  deployment: DeploymentRow;
}

/** What lists show of a deployment: its variables' values, of which there may be much, are left where they are. */
export type ListedDeployment = Omit<DeploymentRow, "envVars">;

const { envVars: _, ...listedColumns } = getTableColumns(deployments);

/**
 * Inserts a deployment that is to be made. One statement also counts those of its organization that are not yet.
 *
 * @param limit the most that may be made at once.
 * @returns false where there are as many.
 * @throws ServiceError 429 at the limit of deployments, 413 at that of stored bytes.
 */
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
  return insertWithinQuota(database, "deployments", row, quotas, {
    condition: sql`${unfinished} < ${limit}`,
  });
}

export async function findDeployment(
  database: Database,
  organizationId: string,
  id: string,
): Promise<DeploymentRow | undefined> {
  const [row] = await database
    .select()
    .from(deployments)
    .where(and(eq(deployments.id, id), eq(deployments.organizationId, organizationId)));
  return row;
}

/** Newest first, ties by id; one row more than the page holds. */
export async function listDeployments(
  database: Database,
  organizationId: string,
  filter: { app_name?: string; app_version?: string; query?: string },
  page: PageRequest,
): Promise<ListedDeployment[]> {
  const { app_name: name, app_version: version, query } = filter;
  const brought = (wanted: ReturnType<typeof and>) =>
    exists(
      database
        .select({ id: apps.id })
        .from(apps)
        .where(and(eq(apps.deploymentId, deployments.id), wanted)),
    );
  return database
    .select(listedColumns)
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        name === undefined
          ? undefined
          : brought(and(eq(apps.name, name), version === undefined ? undefined : eq(apps.version, version))),
        query ? or(eq(deployments.id, query), brought(contains(apps.name, query))) : undefined,
      ),
    )
    .orderBy(desc(deployments.createdAt), desc(deployments.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

/** Notes a state of a deployment that has not ended. The one that runs is {@link publishApps}' to note. */
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

/** Whether an app is of a deployment that came before this one. */
function isOfEarlier({ id, createdAt }: VersionReference) {
  return sql`EXISTS (
    SELECT 1 FROM deployments AS other
    WHERE other.id = apps.deployment_id AND (other.created_at, other.id) < (${createdAt}, ${id}))`;
}

/**
 * Makes the apps of a deployment those that invocations run, and notes that it runs: all of it or nothing. Doing it
 * again changes nothing.
 *
 * @param replaces whether they take the place of earlier deployments' apps; of later ones' they never do.
 * @returns false where there is an app whose place they do not take.
 */
export async function publishApps(
  database: Database,
  deployment: VersionReference,
  rows: AppRow[],
  { replaces, at }: { replaces: boolean; at: number },
): Promise<boolean> {
  const { id, organizationId, version } = deployment;
  const isAwaited = sql`EXISTS (SELECT 1 FROM deployments WHERE id = ${id} AND state = 'in_progress')`;
  const names = rows.map(({ name }) => name);
  const replace = database
    .update(apps)
    .set({ current: false })
    .where(
      and(
        eq(apps.organizationId, organizationId),
        eq(apps.version, version),
        isOneOf(apps.name, names),
        isCurrent,
        sql`${Number(replaces)} = 1`,
        isOfEarlier(deployment),
        isAwaited,
      ),
    );
  // The columns in the order of the table.
  const insert = (row: AppRow) =>
    database.insert(apps).select(sql`
      SELECT ${row.id}, ${row.organizationId}, ${row.name}, ${row.version}, ${row.deploymentId},
        ${JSON.stringify(row.actions)}, ${row.createdAt}, 1
      WHERE ${isAwaited}`);
  const run = database
    .update(deployments)
    .set({ state: "running", updatedAt: at })
    .where(and(eq(deployments.id, id), eq(deployments.state, "in_progress")));
  try {
    await database.batch([replace, ...rows.map(insert), run]);
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
  return true;
}

/** Of these names, those of other deployments' apps whose place is not taken, as {@link publishApps} has it. */
export async function listTakenNames(
  database: Database,
  deployment: VersionReference,
  names: string[],
  { replaces }: { replaces: boolean },
): Promise<string[]> {
  const { id, organizationId, version } = deployment;
  const rows = await database
    .select({ name: apps.name })
    .from(apps)
    .where(
      and(
        eq(apps.organizationId, organizationId),
        eq(apps.version, version),
        isOneOf(apps.name, names),
        sql`${apps.deploymentId} <> ${id}`,
        replaces ? not(isOfEarlier(deployment)) : undefined,
        isCurrent,
      ),
    );
  return rows.map(({ name }) => name);
}

/** Deployments that run, and of whose apps others have taken the place: all that a deployment has replaced are among them. */
export async function listReplacedDeployments(
  database: Database,
  { id, organizationId, version }: VersionReference,
  names: string[],
): Promise<string[]> {
  const rows = await database.all<{ id: string }>(sql`
    SELECT id FROM deployments
    WHERE state = 'running' AND id <> ${id}
      AND id IN (
        SELECT deployment_id FROM apps
        WHERE organization_id = ${organizationId} AND version = ${version}
          AND name IN (SELECT value FROM json_each(${JSON.stringify(names)}))
      )
      AND NOT EXISTS (SELECT 1 FROM apps WHERE deployment_id = deployments.id AND current = 1)`);
  return rows.map((row) => row.id);
}

/** Whether invocations run an app of this deployment. */
export async function hasCurrentApps(database: Database, id: string): Promise<boolean> {
  const rows = await database
    .select({ id: apps.id })
    .from(apps)
    .where(and(eq(apps.deploymentId, id), isCurrent))
    .limit(1);
  return rows.length > 0;
}

/** Notes that a deployment has stopped: invocations run its apps no more. */
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

/** Takes a deployment that is over out of the lists of its apps' names. */
export async function removeApps(database: Database, deploymentId: string): Promise<void> {
  await database.delete(apps).where(eq(apps.deploymentId, deploymentId));
}

/** The app that invocations of this name and version run now; undefined: there is none. */
export async function findCurrentApp(
  database: Database,
  organizationId: string,
  name: string,
  version: string,
): Promise<DeployedApp | undefined> {
  const [row] = await database
    .select({ app: apps, deployment: deployments })
    .from(apps)
    .innerJoin(deployments, eq(deployments.id, apps.deploymentId))
    .where(
      and(eq(apps.organizationId, organizationId), eq(apps.name, name), eq(apps.version, version), isCurrent),
    );
  return row;
}

/** The versions of an app that can be invoked, the newest first. */
export async function listCurrentVersions(
  database: Database,
  organizationId: string,
  name: string,
): Promise<string[]> {
  const rows = await database
    .select({ version: apps.version })
    .from(apps)
    .where(and(eq(apps.organizationId, organizationId), eq(apps.name, name), isCurrent))
    .orderBy(desc(apps.createdAt));
  return rows.map(({ version }) => version);
}

/** The apps that invocations run now, newest first, ties by id; one more than the page holds. */
export async function listCurrentApps(
  database: Database,
  organizationId: string,
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
        eq(apps.organizationId, organizationId),
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

/** Deployments that have stood still since a time, before they came to an end. */
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

/** Deployments of organizations that are deleted. Looks at one deployment of each organization, not at all. */
export async function listOrphanedDeployments(
  database: Database,
  limit: number,
): Promise<Pick<DeploymentRow, "id" | "organizationId">[]> {
  const forsaken = await database.all<{ id: string }>(sql`
    WITH RECURSIVE present(id) AS (
      SELECT min(organization_id) FROM deployments
      UNION ALL
      SELECT (SELECT min(organization_id) FROM deployments WHERE organization_id > present.id)
        FROM present WHERE present.id IS NOT NULL
    )
    SELECT id FROM present
    WHERE id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM organizations WHERE organizations.id = present.id)`);
  const ids = forsaken.map(({ id }) => id);
  return database
    .select({ id: deployments.id, organizationId: deployments.organizationId })
    .from(deployments)
    .where(isOneOf(deployments.organizationId, ids))
    .limit(limit);
}

/** Removes a deployment and its apps. */
export async function removeDeployment(database: Database, id: string): Promise<void> {
  await database.batch([
    database.delete(apps).where(eq(apps.deploymentId, id)),
    database.delete(deployments).where(eq(deployments.id, id)),
  ]);
}
