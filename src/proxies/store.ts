import { and, asc, desc, eq, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { contains } from "../database/conditions.ts";
import { type ProxyRow, proxies } from "../database/schema/proxies.ts";
import type { PageRequest } from "../http/pagination.ts";
import type { ProxyHealth } from "./check-proxy.ts";

const isOrphaned = sql`NOT EXISTS (SELECT 1 FROM organizations
  WHERE organizations.id = proxies.organization_id)`;
const isPresent = isNull(proxies.deletedAt);

function hasId(organizationId: string, id: string): SQL | undefined {
  return and(eq(proxies.id, id), eq(proxies.organizationId, organizationId));
}

export async function findProxy(
  database: Database,
  organizationId: string,
  id: string,
  { includeDeleted = false } = {},
): Promise<ProxyRow | undefined> {
  const [row] = await database
    .select()
    .from(proxies)
    .where(and(hasId(organizationId, id), includeDeleted ? undefined : isPresent));
  return row;
}

export async function listProxies(
  database: Database,
  organizationId: string,
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
        eq(proxies.organizationId, organizationId),
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
  organizationId: string,
  id: string,
  name: string,
): Promise<ProxyRow | undefined> {
  const [row] = await database
    .update(proxies)
    .set({ name })
    .where(and(hasId(organizationId, id), isPresent))
    .returning();
  return row;
}

/** @returns false if the organization has no such proxy. */
export async function markProxyDeleted(
  database: Database,
  organizationId: string,
  id: string,
  at: number,
): Promise<boolean> {
  const rows = await database
    .update(proxies)
    .set({ deletedAt: at })
    .where(and(hasId(organizationId, id), isPresent))
    .returning({ id: proxies.id });
  return rows.length > 0;
}

/** Stores the result of a check, unless a later one is stored. A failed check keeps the last known address. */
export async function recordHealth(
  database: Database,
  id: string,
  { status, ipAddress, checkedAt }: ProxyHealth,
): Promise<ProxyRow | undefined> {
  const isLatest = or(isNull(proxies.lastCheckedAt), lte(proxies.lastCheckedAt, checkedAt));
  await database
    .update(proxies)
    .set({ status, lastCheckedAt: checkedAt, ...(ipAddress !== undefined && { ipAddress }) })
    .where(and(eq(proxies.id, id), isPresent, isLatest));
  const [row] = await database
    .select()
    .from(proxies)
    .where(and(eq(proxies.id, id), isPresent));
  return row;
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

/** Keeps proxies of living sessions, and those of pools, which restore their proxy after each lease. */
export async function removeUnusedProxies(database: Database): Promise<void> {
  await database.delete(proxies).where(
    and(
      or(isNotNull(proxies.deletedAt), isOrphaned),
      sql`NOT EXISTS (SELECT 1 FROM browser_sessions
        WHERE browser_sessions.organization_id = proxies.organization_id
          AND state <> 'ended' AND proxy_id = proxies.id)`,
      sql`NOT EXISTS (SELECT 1 FROM browser_pools WHERE browser_pools.proxy_id = proxies.id)`,
    ),
  );
}
