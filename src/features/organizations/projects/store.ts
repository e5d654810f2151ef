import { and, desc, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { conflict } from "../../../lib/common/errors.ts";
import type { Database } from "../../../lib/database/client.ts";
import { contains, isOneOf } from "../../../lib/database/conditions.ts";
import {
  type APIKeyRow,
  organizations,
  type ProjectRow,
  projects,
} from "../../../lib/database/schema/organizations.ts";
import { isUniqueViolation } from "../../../lib/database/unique-violation.ts";
import type { PageRequest } from "../../../lib/http/pagination.ts";
import { insertWithinQuota, type Quotas } from "../quotas.ts";

/** Whose projects are read: all of an organization, or the only one that a key may use. */
export interface ProjectReach {
  organizationId: string;
  onlyId?: string;
}

const isPresent = isNull(projects.deletedAt);
const COUNTED = { kind: "projects", table: projects, isCounted: isPresent } as const;

function isWithin({ organizationId, onlyId }: ProjectReach): SQL | undefined {
  return and(
    eq(projects.organizationId, organizationId),
    onlyId === undefined ? undefined : eq(projects.id, onlyId),
    isPresent,
  );
}

/** Inserts the default project of an organization that was just inserted. */
export function insertDefaultProject(database: Database, organizationId: string) {
  return database.insert(projects).select(
    sql`SELECT id, id, 'Default', 'active', NULL, NULL, created_at, created_at, NULL
        FROM ${organizations} WHERE id = ${organizationId}`,
  );
}

/** @throws ServiceError 409 for a name in use, 429 at the quota. */
export async function insertProject(database: Database, row: ProjectRow, quotas: Quotas): Promise<void> {
  await refuseTakenName(row, () => insertWithinQuota(database, COUNTED, row, quotas));
}

/** Finds a project by its id, else by its name, unless `isId`. */
export async function findProject(
  database: Database,
  reach: ProjectReach,
  idOrName: string,
  { isId = false } = {},
): Promise<ProjectRow | undefined> {
  const hasId = eq(projects.id, idOrName);
  const [row] = await database
    .select()
    .from(projects)
    .where(and(isWithin(reach), isId ? hasId : or(hasId, hasName(idOrName))))
    .orderBy(desc(hasId))
    .limit(1);
  return row;
}

/** Names of the projects of API keys by id, including archived ones. */
export async function findProjectNames(
  database: Database,
  keys: readonly Pick<APIKeyRow, "projectId">[],
): Promise<Map<string, string>> {
  const ids = keys.flatMap(({ projectId }) => projectId ?? []);
  if (ids.length === 0) return new Map();
  const rows = await database
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(and(isOneOf(projects.id, ids), isPresent));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Newest first; returns one row more than the page holds. */
export async function listProjects(
  database: Database,
  reach: ProjectReach,
  { name, query }: { name?: string; query?: string },
  page: PageRequest,
): Promise<ProjectRow[]> {
  return database
    .select()
    .from(projects)
    .where(
      and(
        isWithin(reach),
        name === undefined ? undefined : hasName(name),
        query ? or(eq(projects.id, query), contains(projects.name, query)) : undefined,
      ),
    )
    .orderBy(desc(projects.createdAt), desc(projects.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

/** @returns undefined if there is no such project. @throws ServiceError 409 for a name in use. */
export async function updateProject(
  database: Database,
  { id, organizationId }: ProjectRow,
  change: Partial<ProjectRow>,
): Promise<ProjectRow | undefined> {
  const [row] = await refuseTakenName(change, () =>
    database
      .update(projects)
      .set({ ...change, updatedAt: Date.now() })
      .where(isWithin({ organizationId, onlyId: id }))
      .returning(),
  );
  return row;
}

/** What keeps a project from being deleted. Ended and deleted resources do not. */
const RESOURCES = {
  browser_sessions: "state <> 'ended'",
  browser_pools: "TRUE",
  profiles: "deleted_at IS NULL",
  proxies: "deleted_at IS NULL",
  extensions: "deleted_at IS NULL",
  deployments: "state IN ('queued', 'in_progress', 'running')",
  invocations: "finished_at IS NULL",
};

/** Deletes an empty project, other than the default one. @returns false if it is not, or there is none. */
export async function deleteProject(
  database: Database,
  { id, organizationId }: ProjectRow,
  at: number,
): Promise<boolean> {
  const isEmpty = Object.entries(RESOURCES).map(
    ([table, isUsed]) => sql`NOT EXISTS (SELECT 1 FROM ${sql.identifier(table)}
      WHERE organization_id = ${organizationId} AND project_id = ${id} AND ${sql.raw(isUsed)})`,
  );
  const rows = await database
    .update(projects)
    .set({ deletedAt: at })
    .where(and(isWithin({ organizationId, onlyId: id }), ne(projects.id, organizationId), ...isEmpty))
    .returning({ id: projects.id });
  return rows.length > 0;
}

function hasName(name: string): SQL {
  return sql`lower(${projects.name}) = lower(${name})`;
}

async function refuseTakenName<T>({ name }: Partial<ProjectRow>, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict(`name: another project is named "${name}"`);
    throw error;
  }
}
