import { and, eq, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isInProject, type ProjectScope } from "../../lib/database/project-scope.ts";
import { invocations } from "../../lib/database/schema/apps.ts";
import { browserSessions } from "../../lib/database/schema/browser-sessions.ts";
import { isEnabledOrganization } from "../organizations/index.ts";

// SQLite uses a partial index only if a query repeats its condition literally, so the states are not bound.
export const isActive = sql`state = 'active'`;
export const isEnded = sql`state = 'ended'`;
export const isIdle = sql`state = 'idle'`;
export const isLiving = sql`state <> 'ended'`;
export const isLivingOfInvocation = sql`invocation_id IS NOT NULL AND state <> 'ended'`;
export const isEndedOfInvocation = sql`invocation_id IS NOT NULL AND state = 'ended'`;
export const isListed = sql`state IN ('active', 'ended')`;

/** Counts the living sessions of an organization. */
export function countLiving(organizationId: SQLWrapper, where: "outside pools" | "in pools"): SQL<number> {
  const isWanted = where === "in pools" ? sql`pool_id IS NOT NULL` : sql`pool_id IS NULL`;
  return sql`(SELECT count(*) FROM ${browserSessions}
    WHERE ${eq(browserSessions.organizationId, organizationId)} AND ${isLiving} AND ${isWanted})`;
}

/** Counts the living sessions of a pool that are in given states. */
export function countOfPool(poolId: SQL, states: SQL): SQL<number> {
  return sql`(SELECT count(*) FROM ${browserSessions} WHERE ${browserSessions.poolId} = ${poolId}
    AND pool_id IS NOT NULL AND state <> 'ended' AND ${states})`;
}

export const organizationIsEnabled = isEnabledOrganization(browserSessions.organizationId);

/** Also true for sessions without an invocation. */
export const invocationIsUnfinished = sql`(${browserSessions.invocationId} IS NULL OR EXISTS (SELECT 1 FROM ${invocations}
  WHERE ${invocations.id} = ${browserSessions.invocationId} AND ${invocations.finishedAt} IS NULL))`;

export function unfinishedInvocation(scope: ProjectScope, id: string): SQL | undefined {
  return and(isInProject(invocations, scope), eq(invocations.id, id), isNull(invocations.finishedAt));
}
