import { and, count, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { isIdentifier } from "../../lib/common/identifiers.ts";
import type { Database } from "../../lib/database/client.ts";
import { contains } from "../../lib/database/conditions.ts";
import { insertWhere } from "../../lib/database/insert-where.ts";
import { isInProject, type ProjectScope } from "../../lib/database/project-scope.ts";
import { type BrowserPoolRow, browserPools } from "../../lib/database/schema/browser-pools.ts";
import { unlessNameTaken } from "../../lib/database/unique-violation.ts";
import { allHold, explainRefusal, limitOf, statusOf } from "../organizations/index.ts";
import { countOfPool, poolChecks, renamePool } from "../sessions/index.ts";

export interface CountedPool extends BrowserPoolRow {
  available: number;
  acquired: number;
}

export type PoolRefusal = "name-taken" | "over-limit";

// Drizzle omits table names when it selects from one table, so it is spelled out.
const countSessions = (states: SQL) => countOfPool(sql`browser_pools.id`, states);

const columns = getTableColumns(browserPools);

/** The organization is gone, disabled, or over its budget. */
const isOrphaned = () => sql`(${statusOf(browserPools.organizationId)} <> 'enabled')`;

const counted = {
  ...columns,
  available: countSessions(sql`state = 'idle'`),
  acquired: countSessions(sql`state = 'active'`),
};

/**
 * Inserts a pool if the organization and the project are below their limits. @returns undefined on success.
 *
 * @throws ServiceError 404 for an archived or deleted project, 429 at its limit.
 */
export async function insertPool(
  database: Database,
  row: BrowserPoolRow,
  defaultLimit: number,
): Promise<PoolRefusal | undefined> {
  const sizes = sql`(SELECT coalesce(sum(size), 0) FROM ${browserPools}
    WHERE ${browserPools.organizationId} = ${row.organizationId})`;
  const fits = sql`${sizes} + ${row.size} <= ${limitOf(row.organizationId, "maxPooledSessions", defaultLimit)}`;
  const checks = poolChecks(row, row.size);
  return unlessNameTaken(async () => {
    if (await insertWhere(database, browserPools, row, sql`${fits} AND ${allHold(checks)}`)) return undefined;
    await explainRefusal(database, checks);
    return "over-limit";
  });
}

export type PoolChange = Partial<
  Omit<BrowserPoolRow, "id" | keyof ProjectScope | "createdAt" | "lastError" | "lastErrorAt">
> & {
  size: number;
};

/** Changes a pool, unless it would grow beyond a limit, in one statement. Its sessions take its new name. */
export async function updatePool(
  database: Database,
  { id, ...scope }: Pick<BrowserPoolRow, "id" | keyof ProjectScope>,
  change: PoolChange,
  defaultLimit: number,
): Promise<BrowserPoolRow | PoolRefusal | undefined> {
  const { organizationId } = scope;
  const checks = poolChecks(scope, change.size, id);
  const others = sql`(SELECT coalesce(sum(other.size), 0) FROM ${browserPools} AS other
    WHERE other.organization_id = ${organizationId} AND other.id <> ${id})`;
  const fits = sql`(${browserPools.size} >= ${change.size}
    OR ${others} + ${change.size} <= ${limitOf(organizationId, "maxPooledSessions", defaultLimit)} AND ${allHold(checks)})`;
  return unlessNameTaken(async () => {
    const [[row]] = await database.batch([
      database
        .update(browserPools)
        .set(change)
        .where(and(eq(browserPools.id, id), eq(browserPools.organizationId, organizationId), fits))
        .returning(),
      renamePool(database, id, sql`(SELECT name FROM browser_pools WHERE id = ${id})`),
    ]);
    if (row !== undefined) return row;
    if ((await findPool(database, scope, id)) === undefined) return undefined;
    await explainRefusal(database, checks);
    return "over-limit";
  });
}

export async function updatePoolError(
  database: Database,
  id: string,
  error: Pick<BrowserPoolRow, "lastError" | "lastErrorAt">,
): Promise<void> {
  await database.update(browserPools).set(error).where(eq(browserPools.id, id));
}

export async function deletePool(database: Database, id: string): Promise<void> {
  await database.delete(browserPools).where(eq(browserPools.id, id));
}

/** @returns undefined if it is deleted; `organization` tells whether that may have browsers. */
export async function readPool(database: Database, id: string) {
  const [row] = await database
    .select({ pool: columns, organization: statusOf(browserPools.organizationId) })
    .from(browserPools)
    .where(eq(browserPools.id, id));
  return row;
}

/** Whether a pool exists, and its organization may have browsers. */
export function mayHaveBrowsers(id: string): SQL {
  return sql`EXISTS (SELECT 1 FROM ${browserPools} WHERE ${browserPools.id} = ${id} AND NOT ${isOrphaned()})`;
}

export async function findPool(
  database: Database,
  scope: ProjectScope,
  idOrName: string,
): Promise<CountedPool | undefined> {
  const find = async (wanted: SQL) => {
    const [row] = await database
      .select(counted)
      .from(browserPools)
      .where(and(isInProject(browserPools, scope), wanted));
    return row;
  };
  const byId = isIdentifier(idOrName) ? await find(eq(browserPools.id, idOrName)) : undefined;
  return byId ?? find(eq(browserPools.name, idOrName));
}

/** SQLite requires a limit for an offset. */
const NO_LIMIT = 1_000_000;

export interface PoolPage {
  limit: number | undefined;
  offset: number;
}

export interface PoolFilter {
  name?: string;
  query?: string;
}

/** Newest first; returns one row more than the page holds. */
export async function listPools(
  database: Database,
  scope: ProjectScope,
  { name, query }: PoolFilter,
  { limit, offset }: PoolPage,
): Promise<CountedPool[]> {
  return database
    .select(counted)
    .from(browserPools)
    .where(
      and(
        isInProject(browserPools, scope),
        name === undefined ? undefined : eq(browserPools.name, name),
        query ? sql`(${browserPools.id} = ${query} OR ${contains(browserPools.name, query)})` : undefined,
      ),
    )
    .orderBy(desc(browserPools.createdAt), desc(browserPools.id))
    .limit(limit === undefined ? NO_LIMIT : limit + 1)
    .offset(offset);
}

/** A statement for the number of an organization's pools, and the sum of their sizes. */
export function countPools(database: Database, organizationId: string) {
  return database
    .select({ pools: count(), size: sql<number>`coalesce(sum(${browserPools.size}), 0)` })
    .from(browserPools)
    .where(eq(browserPools.organizationId, organizationId));
}

/** Pools whose number of browsers differs from their size, or whose organization may not have browsers. */
export async function listPoolsToReconcile(database: Database): Promise<string[]> {
  const rows = await database
    .select({ id: browserPools.id })
    .from(browserPools)
    .where(sql`${countSessions(sql`TRUE`)} <> ${browserPools.size} OR ${isOrphaned()}`);
  return rows.map(({ id }) => id);
}

export async function listOrphanedPools(database: Database): Promise<string[]> {
  const rows = await database.select({ id: browserPools.id }).from(browserPools).where(isOrphaned());
  return rows.map(({ id }) => id);
}
