import { and, asc, desc, eq, gt, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { contains, isOneOf } from "../database/conditions.ts";
import {
  type APIKeyRow,
  apiKeys,
  type OrganizationRow,
  organizations,
} from "../database/schema/organizations.ts";
import { otlpDestinations } from "../database/schema/telemetry.ts";
import type { PageRequest } from "../http/pagination.ts";
import type { APIKeyCaller } from "./caller.ts";

export async function findCallerByKeyHash(
  database: Database,
  keyHash: string,
  now: number,
): Promise<APIKeyCaller | undefined> {
  const [row] = await database
    .select({
      organizationId: apiKeys.organizationId,
      keyId: apiKeys.id,
      scope: apiKeys.scope,
      expiresAt: apiKeys.expiresAt,
      disabledAt: organizations.disabledAt,
    })
    .from(apiKeys)
    .innerJoin(organizations, eq(organizations.id, apiKeys.organizationId))
    .where(
      and(
        eq(apiKeys.keyHash, keyHash),
        isNull(apiKeys.deletedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
      ),
    )
    .limit(1);
  if (row === undefined) return undefined;
  const { disabledAt, ...caller } = row;
  return { ...caller, invocationId: null, organizationDisabled: disabledAt !== null };
}

export async function findAPIKey(
  database: Database,
  organizationId: string,
  id: string,
  options: { includeDeleted: boolean },
): Promise<APIKeyRow | undefined> {
  const [row] = await database
    .select()
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.organizationId, organizationId),
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
  organizationId: string,
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
        eq(apiKeys.organizationId, organizationId),
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
  organizationId: string,
  id: string,
  change: Partial<Pick<APIKeyRow, "name" | "expiresAt" | "deletedAt">>,
): Promise<APIKeyRow | undefined> {
  const [row] = await database
    .update(apiKeys)
    .set(change)
    .where(and(eq(apiKeys.organizationId, organizationId), eq(apiKeys.id, id), isNull(apiKeys.deletedAt)))
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
    database.insert(apiKeys).values(firstKey),
  ]);
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
    database.delete(otlpDestinations).where(eq(otlpDestinations.organizationId, id)),
  ]);
  return deleted.length > 0;
}
