import { and, desc, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { conflict } from "../../common/errors.ts";
import type { Database } from "../../database/client.ts";
import { contains, isOneOf } from "../../database/conditions.ts";
import { organizations, type ProjectRow, projects } from "../../database/schema/organizations.ts";
import { isUniqueViolation } from "../../database/unique-violation.ts";
import type { PageRequest } from "../../http/pagination.ts";
import { insertWithinQuota, type Quotas } from "../quotas.ts";

export const DEFAULT_PROJECT_NAME = "Default";

/** Whose projects are read: all of an organization, or the only one that a key may use. */
export interface ProjectReach {
  organizationId: string;
  onlyId?: string;
}

const isPresent = isNull(projects.deletedAt);

function isWithin({ organizationId, onlyId }: ProjectReach): SQL | undefined {
  return and(
    eq(projects.organizationId, organizationId),
    onlyId === undefined ? undefined : eq(projects.id, onlyId),
    isPresent,
  );
}

/** An organization that an earlier version created has no row for its default project. */
function ensureDefaultProject(database: Database, organizationId: string) {
  return database
    .insert(projects)
    .select(
      sql`SELECT id, id, ${DEFAULT_PROJECT_NAME}, 'active', NULL, NULL, created_at, created_at, NULL
        FROM ${organizations} WHERE id = ${organizationId}`,
    )
    .onConflictDoNothing();
}

/** @returns false if the name is taken. @throws ServiceError 429 at the quota. */
export async function insertProject(database: Database, row: ProjectRow, quotas: Quotas): Promise<boolean> {
  await ensureDefaultProject(database, row.organizationId);
  return unlessNameTaken(() => insertWithinQuota(database, "projects", row, quotas));
}

/** Finds a project by its id, else by its name, unless `isId`. */
export async function findProject(
  database: Database,
  reach: ProjectReach,
  idOrName: string,
  { isId = false } = {},
): Promise<ProjectRow | undefined> {
  const hasId = eq(projects.id, idOrName);
  const [, [row]] = await database.batch([
    ensureDefaultProject(database, reach.organizationId),
    database
      .select()
      .from(projects)
      .where(and(isWithin(reach), isId ? hasId : or(hasId, hasName(idOrName))))
      .orderBy(desc(hasId))
      .limit(1),
  ]);
  return row;
}

/** Names by id, also of archived projects. */
export async function findProjectNames(
  database: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(and(isWithin({ organizationId }), isOneOf(projects.id, ids)));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Newest first; returns one row more than the page holds. */
export async function listProjects(
  database: Database,
  reach: ProjectReach,
  { name, query }: { name?: string; query?: string },
  page: PageRequest,
): Promise<ProjectRow[]> {
  const [, rows] = await database.batch([
    ensureDefaultProject(database, reach.organizationId),
    database
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
      .offset(page.offset),
  ]);
  return rows;
}

/** @returns false if the name is taken; undefined if there is no such project. */
export async function updateProject(
  database: Database,
  { id, organizationId }: ProjectRow,
  change: Partial<ProjectRow>,
): Promise<ProjectRow | false | undefined> {
  return unlessNameTaken(async () => {
    const [row] = await database
      .update(projects)
      .set({ ...change, updatedAt: Date.now() })
      .where(and(isWithin({ organizationId }), eq(projects.id, id)))
      .returning();
    return row;
  });
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

/** Deletes a project, other than the default one, that is empty. @returns false if it is not, or there is none. */
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
    .where(
      and(isWithin({ organizationId }), eq(projects.id, id), ne(projects.id, organizationId), ...isEmpty),
    )
    .returning({ id: projects.id });
  return rows.length > 0;
}

function hasName(name: string): SQL {
  return sql`lower(${projects.name}) = lower(${name})`;
}

async function unlessNameTaken<T>(write: () => Promise<T>): Promise<T | false> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** The refusal of a name that another project has. */
export function nameTaken(name: string) {
  return conflict(`name: another project is named "${name}"`);
}
