import { and, asc, desc, eq, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { contains } from "../database/conditions.ts";
import { type ProxyRow, proxies } from "../database/schema/proxies.ts";
import type { PageRequest } from "../http/pagination.ts";
import type { ProxyHealth } from "./check-proxy.ts";

const isForsaken = sql`NOT EXISTS (SELECT 1 FROM organizations
  WHERE organizations.id = proxies.organization_id)`;
const isPresent = isNull(proxies.deletedAt);

function isOf(organizationId: string, id: string): SQL | undefined {
  return and(eq(proxies.id, id), eq(proxies.organizationId, organizationId));
}

/** The organization's proxy with that id; a deleted one only where it is asked for. */
export async function findProxy(
  database: Database,
  organizationId: string,
  id: string,
  { evenDeleted = false } = {},
): Promise<ProxyRow | undefined> {
  const [row] = await database
    .select()
    .from(proxies)
    .where(and(isOf(organizationId, id), evenDeleted ? undefined : isPresent));
  return row;
}

/** Newest first, ties by id; one row more than the page holds. */
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

/** The renamed proxy; undefined when the organization has none of that id. */
export async function renameProxy(
  database: Database,
  organizationId: string,
  id: string,
  name: string,
): Promise<ProxyRow | undefined> {
  const [row] = await database
    .update(proxies)
    .set({ name })
    .where(and(isOf(organizationId, id), isPresent))
    .returning();
  return row;
}

/** Deletes a proxy for callers; false when the organization has none of that id. */
export async function markProxyDeleted(
  database: Database,
  organizationId: string,
  id: string,
  at: number,
): Promise<boolean> {
  const rows = await database
    .update(proxies)
    .set({ deletedAt: at })
    .where(and(isOf(organizationId, id), isPresent))
    .returning({ id: proxies.id });
  return rows.length > 0;
}

/**
 * Notes what a check found, unless a later one has already; undefined when the proxy is not there any more. A check that
 * failed saw no address: the last one that was seen stays.
 */
export async function recordHealth(
  database: Database,
  id: string,
  { status, ipAddress, checkedAt }: ProxyHealth,
): Promise<ProxyRow | undefined> {
  const isNews = or(isNull(proxies.lastCheckedAt), lte(proxies.lastCheckedAt, checkedAt));
  await database
    .update(proxies)
    .set({ status, lastCheckedAt: checkedAt, ...(ipAddress !== undefined && { ipAddress }) })
    .where(and(eq(proxies.id, id), isPresent, isNews));
  const [row] = await database
    .select()
    .from(proxies)
    .where(and(eq(proxies.id, id), isPresent));
  return row;
}

/** Proxies whose last check, which each has from its creation on, is not after `before`: the longest ago first. */
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

/**
 * Removes proxies that are deleted, or whose organization is, and that no living session has. One that a pool has is kept
 * too: what a lease has changed is taken back with it.
 */
export async function removeUnusedProxies(database: Database): Promise<void> {
  await database.delete(proxies).where(
    and(
      or(isNotNull(proxies.deletedAt), isForsaken),
      sql`NOT EXISTS (SELECT 1 FROM browser_sessions
        WHERE browser_sessions.organization_id = proxies.organization_id
          AND state <> 'ended' AND proxy_id = proxies.id)`,
      sql`NOT EXISTS (SELECT 1 FROM browser_pools WHERE browser_pools.proxy_id = proxies.id)`,
    ),
  );
}
