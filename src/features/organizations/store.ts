import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lte,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Database } from "../../lib/database/client.ts";
import { contains, isOneOf } from "../../lib/database/conditions.ts";
import { scopeOf } from "../../lib/database/project-scope.ts";
import {
  type APIKeyRow,
  apiKeys,
  type OrganizationRow,
  organizations,
  projects,
} from "../../lib/database/schema/organizations.ts";
import type { PageRequest } from "../../lib/http/pagination.ts";
import { isUsable } from "./api-keys/api-key.ts";
import type { APIKeyListQuery } from "./api-keys/schema.ts";
import type { APIKeyCaller } from "./caller.ts";
import { isWithinBudget } from "./projects/limits.ts";
import { insertDefaultProject } from "./projects/store.ts";

/** The shortest interval between writes of a key's last use. */
export const KEY_USE_INTERVAL_MS = 60 * 60 * 1000;

const hasOwnLimits =
  sql`(${apiKeys.maxConcurrentSessions} IS NOT NULL OR ${organizations.hardBudgetUSD} IS NOT NULL
  OR ${organizations.defaultProjectMaxConcurrentSessions} IS NOT NULL
  OR EXISTS (SELECT 1 FROM projects AS limited WHERE limited.organization_id = ${organizations.id}
    AND limited.max_concurrent_sessions IS NOT NULL))`.mapWith(Boolean);

export async function findCallerByKey(
  database: Database,
  key: { keyHash: string } | { keyId: string },
  now: number,
): Promise<{ caller: APIKeyCaller; lastUsedAt: number | null } | undefined> {
  const [row] = await database
    .select({
      organizationId: apiKeys.organizationId,
      keyId: apiKeys.id,
      keyName: apiKeys.name,
      maxConcurrentSessions: organizations.maxConcurrentSessions,
      hasOwnLimits,
      weight: organizations.weight,
      scope: apiKeys.scope,
      expiresAt: apiKeys.expiresAt,
      lastUsedAt: apiKeys.lastUsedAt,
      disabledAt: organizations.disabledAt,
      rights: {
        projectId: apiKeys.projectId,
        access: apiKeys.access,
        maxConcurrentSessions: apiKeys.maxConcurrentSessions,
        requestsPerMinute: apiKeys.requestsPerMinute,
      },
    })
    .from(apiKeys)
    .innerJoin(organizations, eq(organizations.id, apiKeys.organizationId))
    .where(
      and("keyHash" in key ? eq(apiKeys.keyHash, key.keyHash) : eq(apiKeys.id, key.keyId), isUsable(now)),
    )
    .limit(1);
  if (row === undefined) return undefined;
  const { disabledAt, lastUsedAt, ...found } = row;
  const { organizationId, rights } = found;
  const caller: APIKeyCaller = {
    ...found,
    ...scopeOf(organizationId, rights.projectId ?? organizationId),
    invocationId: null,
    organizationDisabled: disabledAt !== null,
  };
  return { caller, lastUsedAt };
}

export async function recordKeyUse(database: Database, id: string, now: number): Promise<void> {
  const isDue = or(isNull(apiKeys.lastUsedAt), lte(apiKeys.lastUsedAt, now - KEY_USE_INTERVAL_MS));
  await database
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), isDue));
}

/** Whose keys are meant: all of an organization, or only those of the caller's own project. */
type KeyOwner = Pick<APIKeyCaller, "organizationId"> & Partial<Pick<APIKeyCaller, "rights">>;

function isOwnedBy({ organizationId, rights }: KeyOwner): SQL | undefined {
  const projectId = rights?.projectId ?? null;
  return and(
    eq(apiKeys.organizationId, organizationId),
    projectId === null ? undefined : eq(apiKeys.projectId, projectId),
  );
}

export async function findAPIKey(
  database: Database,
  owner: KeyOwner,
  id: string,
  { includeDeleted = false } = {},
): Promise<APIKeyRow | undefined> {
  const [row] = await database
    .select()
    .from(apiKeys)
    .where(and(isOwnedBy(owner), eq(apiKeys.id, id), includeDeleted ? undefined : isNull(apiKeys.deletedAt)))
    .limit(1);
  return row;
}

/** Names of API keys by id, including deleted ones. */
export async function findAPIKeyNames(
  database: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(eq(apiKeys.organizationId, organizationId), isOneOf(apiKeys.id, [...new Set(ids)])));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns one row more than the page holds, for `toPage`. */
export async function listAPIKeys(
  database: Database,
  owner: KeyOwner,
  { status, include_deleted, name, query, sort_by, sort_direction, limit, offset }: APIKeyListQuery,
): Promise<APIKeyRow[]> {
  const { deletedAt, createdAt, expiresAt } = apiKeys;
  const column = { created_at: createdAt, name: apiKeys.name, expires_at: expiresAt }[sort_by];
  const direction = { asc, desc }[sort_direction];
  const shown = status ?? (include_deleted ? "all" : "active");
  return database
    .select()
    .from(apiKeys)
    .where(
      and(
        isOwnedBy(owner),
        { active: isNull(deletedAt), deleted: isNotNull(deletedAt), all: undefined }[shown],
        name === undefined ? undefined : eq(apiKeys.name, name),
        query === undefined ? undefined : or(eq(apiKeys.id, query), contains(apiKeys.name, query)),
      ),
    )
    .orderBy(direction(column), direction(apiKeys.id))
    .limit(limit + 1)
    .offset(offset);
}

export async function updateAPIKey(
  database: Database,
  owner: KeyOwner,
  id: string,
  change: Partial<Pick<APIKeyRow, "name" | "expiresAt" | "deletedAt">>,
): Promise<APIKeyRow | undefined> {
  const [row] = await database
    .update(apiKeys)
    .set(change)
    .where(and(isOwnedBy(owner), eq(apiKeys.id, id), isNull(apiKeys.deletedAt)))
    .returning();
  return row;
}

type KeyReference = Pick<APIKeyRow, "organizationId" | "id">;

/** Whether a key is neither deleted nor expired. */
export function isValidKey({ organizationId, id }: KeyReference, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM ${apiKeys} WHERE ${and(
    eq(apiKeys.organizationId, organizationId),
    eq(apiKeys.id, id),
    isUsable(now),
  )})`;
}

/** Expires a key, if its replacement exists, at `expiresAt` or earlier. */
export function expireReplacedKey(
  database: Database,
  { organizationId, id }: KeyReference,
  { expiresAt, replacementId }: { expiresAt: number; replacementId: string },
) {
  const isReplaced = sql`EXISTS (SELECT 1 FROM ${apiKeys} AS replacement WHERE replacement.id = ${replacementId})`;
  return database
    .update(apiKeys)
    .set({ expiresAt: sql`min(coalesce(${apiKeys.expiresAt}, ${expiresAt}), ${expiresAt})` })
    .where(and(eq(apiKeys.organizationId, organizationId), eq(apiKeys.id, id), isReplaced));
}

export async function insertOrganization(
  database: Database,
  organization: typeof organizations.$inferInsert,
  firstKey: APIKeyRow,
): Promise<OrganizationRow> {
  const [[row]] = await database.batch([
    database.insert(organizations).values(organization).returning(),
    insertDefaultProject(database, organization.id),
    database.insert(apiKeys).values(firstKey),
  ]);
  if (row === undefined) throw new Error("The organization was not inserted");
  return row;
}

/** Sets the limit of projects without one. @returns undefined if it exceeds the organization's. */
export async function limitProjects(
  database: Database,
  organizationId: string,
  limit: number | null,
  defaultLimit: number,
): Promise<OrganizationRow | undefined> {
  const isAllowed = sql`${limit ?? 0} <= coalesce(${organizations.maxConcurrentSessions}, ${defaultLimit})`;
  const [row] = await database
    .update(organizations)
    .set({ defaultProjectMaxConcurrentSessions: limit })
    .where(and(eq(organizations.id, organizationId), isAllowed))
    .returning();
  return row;
}

export async function findOrganization(database: Database, id: string): Promise<OrganizationRow | undefined> {
  const [row] = await database.select().from(organizations).where(eq(organizations.id, id)).limit(1);
  return row;
}

/** Newest first; returns one row more than the page holds. */
export async function listOrganizations(
  database: Database,
  { limit, offset }: PageRequest,
  now: number,
  countLiving: CountLiving,
): Promise<OrganizationWithUse[]> {
  const newest = [desc(organizations.createdAt), desc(organizations.id)];
  const page = database
    .select({ id: organizations.id })
    .from(organizations)
    .orderBy(...newest);
  // Usage is read only for the organizations on the page.
  return selectWithUse(database, now, countLiving)
    .where(inArray(organizations.id, page.limit(limit + 1).offset(offset)))
    .orderBy(...newest);
}

export async function findOrganizationWithUse(
  database: Database,
  id: string,
  now: number,
  countLiving: CountLiving,
): Promise<OrganizationWithUse | undefined> {
  const [row] = await selectWithUse(database, now, countLiving).where(eq(organizations.id, id));
  return row;
}

export interface OrganizationWithUse extends OrganizationRow {
  /** Living sessions that count against the limit of concurrent sessions. */
  activeSessions: number;
  pooledSessions: number;
  /** Keys that are neither deleted nor expired. */
  apiKeys: number;
}

/** Counts living sessions in SQL. */
type CountLiving = (organizationId: SQLWrapper, where: "outside pools" | "in pools") => SQL<number>;

function selectWithUse(database: Database, now: number, countLiving: CountLiving) {
  const isKey = and(eq(apiKeys.organizationId, organizations.id), isUsable(now));
  return database
    .select({
      ...getTableColumns(organizations),
      activeSessions: countLiving(organizations.id, "outside pools"),
      pooledSessions: countLiving(organizations.id, "in pools"),
      apiKeys: database.$count(apiKeys, isKey),
    })
    .from(organizations);
}

/** Whether an organization is not deleted. */
export function isKnownOrganization(id: string | SQLWrapper): SQL {
  return sql`EXISTS (SELECT 1 FROM ${organizations} WHERE ${organizations.id} = ${id})`;
}

/** Whether an organization is neither disabled nor deleted. */
export function isEnabledOrganization(id: string | SQLWrapper): SQL {
  return sql`EXISTS (SELECT 1 FROM ${organizations}
    WHERE ${organizations.id} = ${id} AND ${organizations.disabledAt} IS NULL)`;
}

/** Whether an organization may have browsers. */
export function statusOf(id: SQLWrapper) {
  return sql<"enabled" | "disabled" | "over-budget" | "deleted">`CASE
    WHEN NOT ${isKnownOrganization(id)} THEN 'deleted'
    WHEN NOT ${isEnabledOrganization(id)} THEN 'disabled'
    WHEN NOT ${isWithinBudget(id)} THEN 'over-budget' ELSE 'enabled' END`;
}

/** Null for an organization that is disabled or deleted. */
export function limitOf(
  id: string,
  limit: "maxConcurrentSessions" | "maxPooledSessions",
  defaultLimit: number,
): SQL {
  return sql`(SELECT coalesce(${organizations[limit]}, ${defaultLimit}) FROM ${organizations}
    WHERE ${organizations.id} = ${id} AND ${organizations.disabledAt} IS NULL)`;
}

/** The name of an organization, if it is not deleted. */
export function organizationName(id: SQLWrapper) {
  return sql<string | null>`(SELECT named.name FROM organizations AS named WHERE named.id = ${id})`;
}

export function apiKeyName(id: SQLWrapper) {
  return sql<string | null>`(SELECT named.name FROM api_keys AS named WHERE named.id = ${id})`;
}

/** A query for how many organizations have used up their hard budget. */
export const countOverBudget = sql`SELECT count(*) FROM ${organizations}
  WHERE ${organizations.overBudgetUntil} > unixepoch() * 1000`;

export async function updateOrganization(
  database: Database,
  id: string,
  change: Partial<Omit<OrganizationRow, "id">>,
): Promise<OrganizationRow | undefined> {
  const [row] = await database.update(organizations).set(change).where(eq(organizations.id, id)).returning();
  return row;
}

const BUDGET_FIELDS = ["softBudgetUSD", "hardBudgetUSD", "budgetWarnedAt", "overBudgetUntil"] as const;

export type Budgets = Pick<OrganizationRow, (typeof BUDGET_FIELDS)[number]>;

export function listOrganizationsWithBudgets(database: Database): Promise<OrganizationRow[]> {
  return database
    .select()
    .from(organizations)
    .where(or(isNotNull(organizations.softBudgetUSD), isNotNull(organizations.hardBudgetUSD)))
    .orderBy(asc(organizations.id));
}

/** @returns whether the budgets were still those of the given row, and are changed. */
export async function changeBudgets(
  database: Database,
  organization: OrganizationRow,
  change: Partial<Budgets>,
): Promise<boolean> {
  const isUnchanged = BUDGET_FIELDS.map((field) => sql`${organizations[field]} IS ${organization[field]}`);
  const { meta } = await database
    .update(organizations)
    .set(change)
    .where(and(eq(organizations.id, organization.id), ...isUnchanged));
  return meta.changes > 0;
}

/** @param owned statements of the transaction that delete what belongs to it. */
export async function deleteOrganization(
  database: Database,
  id: string,
  owned: readonly BatchItem<"sqlite">[],
): Promise<boolean> {
  const [deleted] = await database.batch([
    database.delete(organizations).where(eq(organizations.id, id)).returning({ id: organizations.id }),
    database.delete(apiKeys).where(eq(apiKeys.organizationId, id)),
    database.delete(projects).where(eq(projects.organizationId, id)),
    ...owned,
  ]);
  return deleted.length > 0;
}
