import { and, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { isIdentifier } from "../common/identifiers.ts";
import type { Database } from "../database/client.ts";
import { contains } from "../database/conditions.ts";
import { insertWhere } from "../database/insert-where.ts";
import { type BrowserPoolRow, browserPools } from "../database/schema/browser-pools.ts";
import { browserSessions } from "../database/schema/browser-sessions.ts";
import { organizations } from "../database/schema/organizations.ts";
import { isUniqueViolation } from "../database/unique-violation.ts";

/** A pool with its browsers counted. */
export interface CountedPool extends BrowserPoolRow {
  /** Browsers that wait. */
  available: number;
  /** Browsers that are leased. */
  acquired: number;
}

/** Why a pool was not written as asked. */
export type PoolRefusal = "name-taken" | "over-limit";

// The conditions of the index browser_sessions_of_pool, word for word: SQLite uses it only then. The names are spelled
// out because Drizzle leaves the table away from those of columns where it selects from one table.
const countSessions = (states: SQL) =>
  sql<number>`(SELECT count(*) FROM browser_sessions WHERE browser_sessions.pool_id = browser_pools.id
    AND pool_id IS NOT NULL AND state <> 'ended' AND ${states})`;

const columns = getTableColumns(browserPools);

/** Of a pool joined with its organization. */
const isForsaken = sql`(${organizations.id} IS NULL OR ${organizations.disabledAt} IS NOT NULL)`;

const counted = {
  ...columns,
  available: countSessions(sql`state = 'idle'`),
  acquired: countSessions(sql`state = 'active'`),
};

/** The most browsers that an organization may have in pools; null when it is disabled or there is none. */
function limitOf(organizationId: string, defaultLimit: number): SQL {
  return sql`(SELECT coalesce(${organizations.maxPooledSessions}, ${defaultLimit}) FROM ${organizations}
    WHERE ${organizations.id} = ${organizationId} AND ${organizations.disabledAt} IS NULL)`;
}

/**
 * Inserts a pool, in one statement that also counts against the organization's limit and honours its unique names.
 *
 * @returns undefined when it was inserted, else why nothing was.
 */
export async function insertPool(
  database: Database,
  row: BrowserPoolRow,
  defaultLimit: number,
): Promise<PoolRefusal | undefined> {
  const sizes = sql`(SELECT coalesce(sum(size), 0) FROM ${browserPools}
    WHERE ${browserPools.organizationId} = ${row.organizationId})`;
  try {
    const fits = sql`${sizes} + ${row.size} <= ${limitOf(row.organizationId, defaultLimit)}`;
    const isInserted = await insertWhere(database, browserPools, row, fits);
    return isInserted ? undefined : "over-limit";
  } catch (error) {
    if (isUniqueViolation(error)) return "name-taken";
    throw error;
  }
}

export type PoolChange = Partial<
  Omit<BrowserPoolRow, "id" | "organizationId" | "createdAt" | "lastError" | "lastErrorAt">
> & {
  size: number;
};

/**
 * Changes a pool, in one statement that also counts against the organization's limit; a pool that does not grow passes
 * it whatever that has become. The pool's sessions take its new name.
 *
 * @returns the changed pool; why it was not changed; undefined when there is none of that id.
 */
export async function updatePool(
  database: Database,
  { id, organizationId }: Pick<BrowserPoolRow, "id" | "organizationId">,
  change: PoolChange,
  defaultLimit: number,
): Promise<BrowserPoolRow | PoolRefusal | undefined> {
  const others = sql`(SELECT coalesce(sum(other.size), 0) FROM ${browserPools} AS other
    WHERE other.organization_id = ${organizationId} AND other.id <> ${id})`;
  const fits = sql`(${browserPools.size} >= ${change.size}
    OR ${others} + ${change.size} <= ${limitOf(organizationId, defaultLimit)})`;
  try {
    const [[row]] = await database.batch([
      database
        .update(browserPools)
        .set(change)
        .where(and(eq(browserPools.id, id), eq(browserPools.organizationId, organizationId), fits))
        .returning(),
      database
        .update(browserSessions)
        .set({ poolName: sql`(SELECT browser_pools.name FROM browser_pools WHERE browser_pools.id = ${id})` })
        .where(and(eq(browserSessions.poolId, id), sql`pool_id IS NOT NULL AND state <> 'ended'`)),
    ]);
    if (row !== undefined) return row;
  } catch (error) {
    if (isUniqueViolation(error)) return "name-taken";
    throw error;
  }
  return (await findPool(database, organizationId, id)) && "over-limit";
}

/** Notes why a pool's last launch has failed, or that it has not. */
export async function notePoolError(
  database: Database,
  id: string,
  error: Pick<BrowserPoolRow, "lastError" | "lastErrorAt">,
): Promise<void> {
  await database.update(browserPools).set(error).where(eq(browserPools.id, id));
}

/** Removes a pool. One that is removed already is fine. */
export async function deletePool(database: Database, id: string): Promise<void> {
  await database.delete(browserPools).where(eq(browserPools.id, id));
}

/** A pool as its object needs it; whether browsers may be made for it depends on its organization. */
export async function readPool(
  database: Database,
  id: string,
): Promise<{ pool: BrowserPoolRow; organization: "enabled" | "disabled" | "deleted" } | undefined> {
  const [row] = await database
    .select({ pool: columns, organizationId: organizations.id, disabledAt: organizations.disabledAt })
    .from(browserPools)
    .leftJoin(organizations, eq(organizations.id, browserPools.organizationId))
    .where(eq(browserPools.id, id));
  if (row === undefined) return undefined;
  if (row.organizationId === null) return { pool: row.pool, organization: "deleted" };
  return { pool: row.pool, organization: row.disabledAt === null ? "enabled" : "disabled" };
}

/** The organization's pool with that id, else that name. */
export async function findPool(
  database: Database,
  organizationId: string,
  idOrName: string,
): Promise<CountedPool | undefined> {
  const find = async (wanted: SQL) => {
    const [row] = await database
      .select(counted)
      .from(browserPools)
      .where(and(eq(browserPools.organizationId, organizationId), wanted));
    return row;
  };
  const byId = isIdentifier(idOrName) ? await find(eq(browserPools.id, idOrName)) : undefined;
  return byId ?? find(eq(browserPools.name, idOrName));
}

/** SQLite takes no offset without a limit; no organization comes near it. */
const NO_LIMIT = 1_000_000;

/** Without a limit: all from the offset on. */
export interface PoolPage {
  limit: number | undefined;
  offset: number;
}

export interface PoolFilter {
  name?: string;
  /** Part of a name, or an id. */
  query?: string;
}

/** Newest first, ties by id; one row more than the page holds. */
export async function listPools(
  database: Database,
  organizationId: string,
  { name, query }: PoolFilter,
  { limit, offset }: PoolPage,
): Promise<CountedPool[]> {
  return database
    .select(counted)
    .from(browserPools)
    .where(
      and(
        eq(browserPools.organizationId, organizationId),
        name === undefined ? undefined : eq(browserPools.name, name),
        query ? sql`(${browserPools.id} = ${query} OR ${contains(browserPools.name, query)})` : undefined,
      ),
    )
    .orderBy(desc(browserPools.createdAt), desc(browserPools.id))
    .limit(limit === undefined ? NO_LIMIT : limit + 1)
    .offset(offset);
}

/** Ids of the pools that have more or fewer browsers than they are to, or whose organization is disabled or deleted. */
export async function listPoolsToKeep(database: Database): Promise<string[]> {
  const rows = await database
    .select({ id: browserPools.id })
    .from(browserPools)
    .leftJoin(organizations, eq(organizations.id, browserPools.organizationId))
    .where(sql`${countSessions(sql`TRUE`)} <> ${browserPools.size} OR ${isForsaken}`);
  return rows.map(({ id }) => id);
}

/** Ids of the pools whose organization is disabled or deleted. */
export async function listForsakenPools(database: Database): Promise<string[]> {
  const rows = await database
    .select({ id: browserPools.id })
    .from(browserPools)
    .leftJoin(organizations, eq(organizations.id, browserPools.organizationId))
    .where(isForsaken);
  return rows.map(({ id }) => id);
}
