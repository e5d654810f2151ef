import { and, asc, desc, eq, inArray, isNotNull, isNull, lte, not, or, type SQL, sql } from "drizzle-orm";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import type { Database } from "../../lib/database/client.ts";
import { contains } from "../../lib/database/conditions.ts";
import { columnValues } from "../../lib/database/insert-where.ts";
import { isInProject, type ProjectScope } from "../../lib/database/project-scope.ts";
import {
  type ProxyCheckRow,
  type ProxyRow,
  proxies,
  proxyChecks,
} from "../../lib/database/schema/proxies.ts";
import type { PageRequest } from "../../lib/http/pagination.ts";
import { isKnownOrganization } from "../organizations/index.ts";
import type { ProxyHealth } from "./check-proxy.ts";

/** With PROXY_CHECK_SECONDS=900, this covers two days. */
const MAX_CHECKS_OF_PROXY = 200;

const isOrphaned = not(isKnownOrganization(proxies.organizationId));
const isPresent = isNull(proxies.deletedAt);

function hasId(scope: ProjectScope, id: string): SQL | undefined {
  return and(eq(proxies.id, id), isInProject(proxies, scope));
}

export async function findProxy(
  database: Database,
  scope: ProjectScope,
  id: string,
  { includeDeleted = false } = {},
): Promise<ProxyRow | undefined> {
  const [row] = await database
    .select()
    .from(proxies)
    .where(and(hasId(scope, id), includeDeleted ? undefined : isPresent));
  return row;
}

export async function listProxies(
  database: Database,
  scope: ProjectScope,
  { name, query }: { name?: string; query?: string },
  page: PageRequest,
): Promise<ProxyRow[]> {
  const host = sql`json_extract(${proxies.config}, '$.host')`;
  const isFound = query
    ? or(
        eq(proxies.id, query),
        contains(proxies.name, query),
        contains(host, query),
        contains(proxies.ipAddress, query),
      )
    : undefined;
  return database
    .select()
    .from(proxies)
    .where(
      and(
        isInProject(proxies, scope),
        isPresent,
        name === undefined ? undefined : eq(proxies.name, name),
        isFound,
      ),
    )
    .orderBy(desc(proxies.createdAt), desc(proxies.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

export async function renameProxy(
  database: Database,
  scope: ProjectScope,
  id: string,
  name: string,
): Promise<ProxyRow | undefined> {
  const [row] = await database
    .update(proxies)
    .set({ name })
    .where(and(hasId(scope, id), isPresent))
    .returning();
  return row;
}

/** @returns false if the project has no such proxy. */
export async function markProxyDeleted(
  database: Database,
  scope: ProjectScope,
  id: string,
  at: number,
): Promise<boolean> {
  const rows = await database
    .update(proxies)
    .set({ deletedAt: at })
    .where(and(hasId(scope, id), isPresent))
    .returning({ id: proxies.id });
  return rows.length > 0;
}

/**
 * Adds a check, and makes its result the proxy's own unless a later one is. A failed check keeps the last
 * known address.
 *
 * @returns undefined, with nothing stored, if the proxy is deleted.
 */
export async function recordHealth(
  database: Database,
  id: string,
  health: ProxyHealth,
): Promise<ProxyRow | undefined> {
  const { status, ipAddress, checkedAt } = health;
  const isProxy = and(eq(proxies.id, id), isPresent);
  const isLatest = or(isNull(proxies.lastCheckedAt), lte(proxies.lastCheckedAt, checkedAt));
  const [, , , [row]] = await database.batch([
    database
      .update(proxies)
      .set({ status, lastCheckedAt: checkedAt, ...(ipAddress !== undefined && { ipAddress }) })
      .where(and(isProxy, isLatest)),
    insertCheck(database, id, health),
    deleteOldChecks(database, id),
    database.select().from(proxies).where(isProxy),
  ]);
  return row;
}

/** A statement that does nothing if there is no such proxy. */
export function insertCheck(
  database: Database,
  proxyId: string,
  { status, ipAddress, checkedAt, durationMs }: ProxyHealth,
) {
  const row: ProxyCheckRow = {
    id: newIdentifier(),
    proxyId,
    checkedAt,
    status,
    durationMs,
    ipAddress: ipAddress ?? null,
  };
  const isProxy = and(eq(proxies.id, proxyId), isPresent);
  return database
    .insert(proxyChecks)
    .select(
      sql`SELECT ${columnValues(proxyChecks, row)} WHERE EXISTS (SELECT 1 FROM ${proxies} WHERE ${isProxy})`,
    );
}

function deleteOldChecks(database: Database, proxyId: string) {
  const old = sql`(SELECT id FROM proxy_checks WHERE proxy_id = ${proxyId}
    ORDER BY checked_at DESC, id DESC LIMIT -1 OFFSET ${MAX_CHECKS_OF_PROXY})`;
  return database.delete(proxyChecks).where(inArray(proxyChecks.id, old));
}

export async function listChecks(
  database: Database,
  proxyId: string,
  page: PageRequest,
): Promise<ProxyCheckRow[]> {
  return database
    .select()
    .from(proxyChecks)
    .where(eq(proxyChecks.proxyId, proxyId))
    .orderBy(desc(proxyChecks.checkedAt), desc(proxyChecks.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

export async function listProxiesToCheck(
  database: Database,
  before: number,
  limit: number,
): Promise<ProxyRow[]> {
  return database
    .select()
    .from(proxies)
    .where(and(isPresent, lte(proxies.lastCheckedAt, before)))
    .orderBy(asc(proxies.lastCheckedAt))
    .limit(limit);
}

/** Removes deleted proxies with their checks, unless living sessions use them or pools may restore them. */
export async function removeUnusedProxies(database: Database): Promise<void> {
  const isUnused = and(
    or(isNotNull(proxies.deletedAt), isOrphaned),
    sql`NOT EXISTS (SELECT 1 FROM browser_sessions
      WHERE browser_sessions.organization_id = proxies.organization_id
        AND state <> 'ended' AND browser_sessions.proxy_id = proxies.id)`,
    sql`NOT EXISTS (SELECT 1 FROM browser_pools WHERE browser_pools.proxy_id = proxies.id)`,
  );
  const unused = sql`(SELECT ${proxies.id} FROM ${proxies} WHERE ${isUnused})`;
  await database.batch([
    database.delete(proxyChecks).where(inArray(proxyChecks.proxyId, unused)),
    database.delete(proxies).where(isUnused),
  ]);
}
