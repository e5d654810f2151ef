import { and, asc, count, desc, eq, gt, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { contains, isOneOf } from "../database/conditions.ts";
import { scopeOf } from "../database/project-scope.ts";
import { browserSessions } from "../database/schema/browser-sessions.ts";
import {
  type APIKeyRow,
  apiKeys,
  type OrganizationRow,
  organizations,
  type ProjectRow,
  projects,
} from "../database/schema/organizations.ts";
import { otlpDestinations } from "../database/schema/telemetry.ts";
import type { PageRequest } from "../http/pagination.ts";
import type { APIKeyCaller } from "./caller.ts";
import { DEFAULT_PROJECT_NAME } from "./projects/store.ts";

/** How often the last use of a key is written at most. */
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
      project: { name: projects.name, status: projects.status },
    })
    .from(apiKeys)
    .innerJoin(organizations, eq(organizations.id, apiKeys.organizationId))
    .leftJoin(projects, and(eq(projects.id, apiKeys.projectId), isNull(projects.deletedAt)))
    .where(
      and(
        "keyHash" in key ? eq(apiKeys.keyHash, key.keyHash) : eq(apiKeys.id, key.keyId),
        isNull(apiKeys.deletedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
      ),
    )
    .limit(1);
  if (row === undefined) return undefined;
  const { disabledAt, lastUsedAt, project, ...found } = row;
  const { projectId: id } = found.rights;
  // Calls with the key of a deleted project are refused like those with an archived one.
  const ownProject = id === null ? null : { id, ...(project ?? { name: "", status: "archived" as const }) };
  const caller: APIKeyCaller = {
    ...found,
    ownProject,
    projectId: id === null ? "" : scopeOf(found.organizationId, id).projectId,
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
type KeyOwner = Pick<APIKeyCaller, "organizationId"> & Partial<Pick<APIKeyCaller, "ownProject">>;

function isOwnedBy({ organizationId, ownProject }: KeyOwner): SQL | undefined {
  return and(
    eq(apiKeys.organizationId, organizationId),
    ownProject == null ? undefined : eq(apiKeys.projectId, ownProject.id),
  );
}

export async function findAPIKey(
  database: Database,
  owner: KeyOwner,
  id: string,
  options: { includeDeleted: boolean },
): Promise<APIKeyRow | undefined> {
  const [row] = await database
    .select()
    .from(apiKeys)
    .where(
      and(
        isOwnedBy(owner),
        eq(apiKeys.id, id),
        options.includeDeleted ? undefined : isNull(apiKeys.deletedAt),
      ),
    )
    .limit(1);
  return row;
}

/** Names of API keys by id, also of deleted ones. */
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

export interface APIKeyFilter {
  status: "active" | "deleted" | "all";
  name?: string;
  query?: string;
  sortBy: "created_at" | "name" | "expires_at";
  sortDirection: "asc" | "desc";
}

/** Returns one row more than the page holds, for `toPage`. */
export async function listAPIKeys(
  database: Database,
  owner: KeyOwner,
  filter: APIKeyFilter,
  page: PageRequest,
): Promise<APIKeyRow[]> {
  const column = { created_at: apiKeys.createdAt, name: apiKeys.name, expires_at: apiKeys.expiresAt }[
    filter.sortBy
  ];
  const direction = filter.sortDirection === "asc" ? asc : desc;
  return database
    .select()
    .from(apiKeys)
    .where(
      and(
        isOwnedBy(owner),
        ...statusConditions(filter.status),
        filter.name === undefined ? undefined : eq(apiKeys.name, filter.name),
        filter.query === undefined
          ? undefined
          : or(eq(apiKeys.id, filter.query), contains(apiKeys.name, filter.query)),
      ),
    )
    .orderBy(direction(column), direction(apiKeys.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

function statusConditions(status: APIKeyFilter["status"]): SQL[] {
  if (status === "active") return [isNull(apiKeys.deletedAt)];
  return status === "deleted" ? [isNotNull(apiKeys.deletedAt)] : [];
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
    isNull(apiKeys.deletedAt),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
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
  organization: OrganizationRow,
  firstKey: APIKeyRow,
): Promise<void> {
  await database.batch([
    database.insert(organizations).values(organization),
    database.insert(projects).values(toDefaultProject(organization)),
    database.insert(apiKeys).values(firstKey),
  ]);
}

function toDefaultProject({ id, createdAt }: OrganizationRow): ProjectRow {
  return {
    id,
    organizationId: id,
    name: DEFAULT_PROJECT_NAME,
    status: "active",
    maxConcurrentSessions: null,
    maxConcurrentInvocations: null,
    createdAt,
    updatedAt: createdAt,
    deletedAt: null,
  };
}

/** Sets the limit of projects without one. @returns undefined if it exceeds that of the organization. */
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

export async function listOrganizations(database: Database, page: PageRequest): Promise<OrganizationRow[]> {
  return database
    .select()
    .from(organizations)
    .orderBy(desc(organizations.createdAt), desc(organizations.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

export interface OrganizationWithUse extends OrganizationRow {
  /** Living sessions that count against the limit of concurrent sessions. */
  activeSessions: number;
  pooledSessions: number;
  /** Keys that are neither deleted nor expired. */
  apiKeys: number;
}

/** Adds what each of the organizations uses. */
export async function withUse(
  database: Database,
  rows: readonly OrganizationRow[],
  now: number,
): Promise<OrganizationWithUse[]> {
  const ids = rows.map(({ id }) => id);
  const [sessions, keys] = await Promise.all([
    database
      .select({
        organizationId: browserSessions.organizationId,
        all: count(),
        pooled: count(browserSessions.poolId),
      })
      .from(browserSessions)
      .where(and(isOneOf(browserSessions.organizationId, ids), sql`state <> 'ended'`))
      .groupBy(browserSessions.organizationId),
    database
      .select({ organizationId: apiKeys.organizationId, valid: count() })
      .from(apiKeys)
      .where(
        and(
          isOneOf(apiKeys.organizationId, ids),
          isNull(apiKeys.deletedAt),
          or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
        ),
      )
      .groupBy(apiKeys.organizationId),
  ]);
  return rows.map((row) => {
    const { all = 0, pooled = 0 } = sessions.find(({ organizationId }) => organizationId === row.id) ?? {};
    const { valid = 0 } = keys.find(({ organizationId }) => organizationId === row.id) ?? {};
    return { ...row, activeSessions: all - pooled, pooledSessions: pooled, apiKeys: valid };
  });
}

export async function updateOrganization(
  database: Database,
  id: string,
  change: Partial<Omit<OrganizationRow, "id">>,
): Promise<OrganizationRow | undefined> {
  const [row] = await database.update(organizations).set(change).where(eq(organizations.id, id)).returning();
  return row;
}

export async function deleteOrganization(database: Database, id: string): Promise<boolean> {
  const [deleted] = await database.batch([
    database.delete(organizations).where(eq(organizations.id, id)).returning({ id: organizations.id }),
    database.delete(apiKeys).where(eq(apiKeys.organizationId, id)),
    database.delete(projects).where(eq(projects.organizationId, id)),
    database.delete(otlpDestinations).where(eq(otlpDestinations.organizationId, id)),
  ]);
  return deleted.length > 0;
}
