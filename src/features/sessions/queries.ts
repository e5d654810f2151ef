import { and, count, desc, eq, gte, lt, not, or, type SQL, sql } from "drizzle-orm";
import { isIdentifier } from "../../lib/common/identifiers.ts";
import type { Database } from "../../lib/database/client.ts";
import { contains, isOneOf } from "../../lib/database/conditions.ts";
import { countByHour, type RecentRows } from "../../lib/database/count-by-hour.ts";
import { isInProject, type ProjectScope } from "../../lib/database/project-scope.ts";
import { invocations } from "../../lib/database/schema/apps.ts";
import {
  type BrowserSessionRow,
  browserSessions,
  idempotencyKeys,
} from "../../lib/database/schema/browser-sessions.ts";
import type { PageRequest } from "../../lib/http/pagination.ts";
import {
  apiKeyName,
  type CallerReach,
  isEnabledOrganization,
  isKnownOrganization,
  isValidKey,
  organizationName,
} from "../organizations/index.ts";
import {
  invocationIsUnfinished,
  isActive,
  isEnded,
  isEndedOfInvocation,
  isListed,
  isLiving,
  isLivingOfInvocation,
  organizationIsEnabled,
  unfinishedInvocation,
} from "./conditions.ts";
import type { Handoff } from "./handoff-schema.ts";
import type { IdempotencyClaim } from "./store.ts";

type SessionReference = Pick<BrowserSessionRow, "id" | "organizationId" | "projectId">;

/** The unexpired claim of a key. `session` is null once its record is removed. */
export async function findIdempotencyClaim(
  database: Database,
  organizationId: string,
  { key, expiredBefore }: IdempotencyClaim,
): Promise<{ bodyHash: string; session: BrowserSessionRow | null } | undefined> {
  const [claim] = await database
    .select({ bodyHash: idempotencyKeys.bodyHash, session: browserSessions })
    .from(idempotencyKeys)
    .leftJoin(browserSessions, eq(browserSessions.id, idempotencyKeys.sessionId))
    .where(
      and(
        eq(idempotencyKeys.organizationId, organizationId),
        eq(idempotencyKeys.key, key),
        gte(idempotencyKeys.createdAt, expiredBefore),
      ),
    )
    .limit(1);
  return claim;
}

export async function isInvocationUnfinished(
  database: Database,
  scope: ProjectScope,
  id: string,
): Promise<boolean> {
  const rows = await database
    .select({ id: invocations.id })
    .from(invocations)
    .where(unfinishedInvocation(scope, id))
    .limit(1);
  return rows.length > 0;
}

/** Finds a session by id, else the newest one of that name, preferring active sessions. */
export async function findSession(
  database: Database,
  caller: CallerReach,
  idOrName: string,
  options: { includeEnded: boolean },
): Promise<BrowserSessionRow | undefined> {
  const isShown = options.includeEnded ? isListed : isActive;
  const find = async (wanted: SQL) => {
    const [row] = await database
      .select()
      .from(browserSessions)
      .where(and(withinReach(caller), wanted, isShown))
      .orderBy(sql`${isActive} DESC`, desc(browserSessions.createdAt))
      .limit(1);
    return row;
  };
  const byId = isIdentifier(idOrName) ? await find(eq(browserSessions.id, idOrName)) : undefined;
  return byId ?? find(eq(browserSessions.name, idOrName));
}

/** How often the URLs of a session were revoked, if its record is still kept. */
export async function findURLGeneration(database: Database, id: string): Promise<number | undefined> {
  const [row] = await database
    .select({ urlGeneration: browserSessions.urlGeneration })
    .from(browserSessions)
    .where(eq(browserSessions.id, id));
  return row?.urlGeneration;
}

/** Ids of the organizations of sessions, if they are not deleted, by session id. */
export async function findOwners(
  database: Database,
  sessionIds: readonly string[],
): Promise<Map<string, string>> {
  if (sessionIds.length === 0) return new Map();
  const { id, organizationId } = browserSessions;
  const rows = await database
    .select({ id, organizationId })
    .from(browserSessions)
    .where(and(isOneOf(id, sessionIds), isKnownOrganization(organizationId)));
  return new Map(rows.map((row) => [row.id, row.organizationId]));
}

/** Finds the session that occupies a name or persistence id. */
export async function findLivingSession(
  database: Database,
  scope: ProjectScope,
  by: { name: string } | { persistenceId: string },
): Promise<BrowserSessionRow | undefined> {
  const wanted =
    "name" in by ? eq(browserSessions.name, by.name) : eq(browserSessions.persistenceId, by.persistenceId);
  const [row] = await database
    .select()
    .from(browserSessions)
    .where(and(isInProject(browserSessions, scope), wanted, isLiving))
    .limit(1);
  return row;
}

/** Finds a session of any organization that has not ended. */
export async function findLivingSessionById(
  database: Database,
  id: string,
): Promise<SessionReference | undefined> {
  const [row] = await listReferences(database, and(eq(browserSessions.id, id), isLiving));
  return row;
}

export interface SessionFilter {
  status: "active" | "deleted" | "all";
  /** Part of a name, or the id of a session, proxy or profile. */
  query?: string;
  tags: Record<string, string>;
  invocationId?: string;
  poolId?: string;
  proxyId?: string;
  profileId?: string;
  apiKeyId?: string;
}

/** Newest first; returns one row more than the page holds. */
export async function listSessions(
  database: Database,
  caller: CallerReach,
  filter: SessionFilter,
  page: PageRequest,
): Promise<BrowserSessionRow[]> {
  return selectSessions(database, caller, filter, page);
}

/** Handoffs of active sessions, those that expire first before others; one more than the page holds. */
export function listPendingHandoffs(database: Database, caller: CallerReach, page: PageRequest) {
  const { id, name, lease, urlGeneration: generation, handoffs } = browserSessions;
  const handoff = sql`pending.value`.mapWith((json: string): Handoff => JSON.parse(json));
  const expiresAt = sql`pending.value ->> 'expires_at'`;
  const isPending = sql`handoffs IS NOT NULL AND ${expiresAt} > ${new Date().toISOString()}`;
  return database
    .select({ id, name, lease, generation, handoff })
    .from(browserSessions)
    .innerJoin(sql`json_each(${handoffs}) AS pending`, isPending)
    .where(and(withinReach(caller), isActive))
    .orderBy(expiresAt, sql`pending.value ->> 'handoff_id'`)
    .limit(page.limit + 1)
    .offset(page.offset);
}

interface WatchedSessions {
  /** In the form of {@link listSessions}. */
  rows: BrowserSessionRow[];
  /** How many active sessions the project has in total. */
  active: number;
}

/** @returns undefined once the API key is deleted or expired, or its organization disabled or deleted. */
export async function watchSessions(
  database: Database,
  caller: CallerReach & { keyId: string },
  filter: SessionFilter,
  page: PageRequest,
): Promise<WatchedSessions | undefined> {
  const { organizationId, keyId } = caller;
  const key = { organizationId, id: keyId };
  const mayRead = sql<number>`${isEnabledOrganization(organizationId)} AND ${isValidKey(key, Date.now())}`;
  const [rows, [counted]] = await database.batch([
    selectSessions(database, caller, filter, page),
    database
      .select({ active: count(), mayRead })
      .from(browserSessions)
      .where(and(isInProject(browserSessions, caller), isActive)),
  ]);
  return counted?.mayRead ? { rows, active: counted.active } : undefined;
}

function selectSessions(
  database: Database,
  caller: CallerReach,
  filter: SessionFilter,
  { limit, offset }: PageRequest,
) {
  return database
    .select()
    .from(browserSessions)
    .where(and(withinReach(caller), ...filterConditions(filter)))
    .orderBy(desc(browserSessions.createdAt), desc(browserSessions.id))
    .limit(limit + 1)
    .offset(offset);
}

/** The SQL of `isWithinReach`. */
function withinReach(caller: CallerReach): SQL | undefined {
  const { invocationId } = caller;
  return and(
    isInProject(browserSessions, caller),
    invocationId === null ? undefined : eq(browserSessions.invocationId, invocationId),
  );
}

/** Lets SQLite use the indexes of invocations. */
const OF_INVOCATION = {
  active: isLivingOfInvocation,
  deleted: isEndedOfInvocation,
  all: or(isLivingOfInvocation, isEndedOfInvocation),
};

function filterConditions(filter: SessionFilter): (SQL | undefined)[] {
  const { status, query, tags, invocationId, poolId, proxyId, profileId, apiKeyId } = filter;
  const states = { active: isActive, deleted: isEnded, all: isListed };
  const conditions: (SQL | undefined)[] = [
    states[status],
    poolId === undefined ? undefined : eq(browserSessions.poolId, poolId),
    proxyId === undefined ? undefined : eq(browserSessions.proxyId, proxyId),
    profileId === undefined ? undefined : eq(browserSessions.profileId, profileId),
    apiKeyId === undefined ? undefined : eq(browserSessions.apiKeyId, apiKeyId),
  ];
  if (invocationId !== undefined) {
    conditions.push(eq(browserSessions.invocationId, invocationId), OF_INVOCATION[status]);
  }
  if (query) conditions.push(isFound(query));
  if (Object.keys(tags).length > 0) {
    // A single parameter: D1 limits a statement to 100.
    conditions.push(sql`NOT EXISTS (
      SELECT 1 FROM json_each(${JSON.stringify(tags)}) AS wanted
      WHERE NOT EXISTS (
        SELECT 1 FROM json_each(${browserSessions.tags}) AS tag WHERE tag.key = wanted.key AND tag.value = wanted.value
      )
    )`);
  }
  return conditions;
}

function isFound(query: string): SQL | undefined {
  const { id, name, proxyId, profileId } = browserSessions;
  return or(eq(id, query), contains(name, query), eq(proxyId, query), eq(profileId, query));
}

export interface OperatorSessionFilter extends Pick<SessionFilter, "status" | "query"> {
  organizationId?: string;
}

export interface SessionForOperator {
  session: BrowserSessionRow;
  /** Null: the organization is deleted. */
  organizationName: string | null;
  endedByKeyName: string | null;
}

/** Sessions of all organizations in all states, newest first; returns one row more than the page holds. */
export async function listAllSessions(
  database: Database,
  { status, organizationId, query }: OperatorSessionFilter,
  page: PageRequest,
): Promise<SessionForOperator[]> {
  const states = { active: isLiving, deleted: isEnded, all: undefined };
  const { createdAt, id } = browserSessions;
  // There are few living sessions. The plus keeps SQLite from searching all sessions for them.
  const order = status === "active" ? sql`+${createdAt}` : createdAt;
  const owner =
    status === "active" ? sql`+${browserSessions.organizationId}` : browserSessions.organizationId;
  return database
    .select({
      session: browserSessions,
      organizationName: organizationName(browserSessions.organizationId),
      endedByKeyName: apiKeyName(browserSessions.endedByApiKeyId),
    })
    .from(browserSessions)
    .where(
      and(
        states[status],
        organizationId === undefined ? undefined : sql`${owner} = ${organizationId}`,
        query ? isFound(query) : undefined,
      ),
    )
    .orderBy(desc(order), desc(id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

/** Living sessions of a pool, created before a time. */
export async function listPooledSessions(
  database: Database,
  poolId: string,
  createdBefore: number,
): Promise<string[]> {
  const rows = await database
    .select({ id: browserSessions.id })
    .from(browserSessions)
    .where(
      and(
        eq(browserSessions.poolId, poolId),
        sql`pool_id IS NOT NULL AND state <> 'ended'`,
        lt(browserSessions.createdAt, createdBefore),
      ),
    );
  return rows.map(({ id }) => id);
}

/** Active sessions whose organization is disabled or deleted. */
export function listOrphanedSessions(database: Database): Promise<SessionReference[]> {
  return listReferences(database, and(isActive, not(organizationIsEnabled)));
}

/** Active sessions of an invocation, newest first. */
export function listSessionsOfInvocation(
  database: Database,
  invocationId: string,
): Promise<BrowserSessionRow[]> {
  return database
    .select()
    .from(browserSessions)
    .where(and(eq(browserSessions.invocationId, invocationId), isLivingOfInvocation, isActive))
    .orderBy(desc(browserSessions.createdAt), desc(browserSessions.id));
}

export function listLivingSessionsOfInvocation(
  database: Database,
  invocationId: string,
): Promise<SessionReference[]> {
  return listReferences(database, and(eq(browserSessions.invocationId, invocationId), isLivingOfInvocation));
}

/** Active sessions whose invocation has finished or is gone. */
export function listSessionsOfFinishedInvocations(database: Database): Promise<SessionReference[]> {
  return listReferences(database, and(isLivingOfInvocation, isActive, not(invocationIsUnfinished)));
}

/** Statements that count living sessions, and by the hour those that were created, ended and lost. */
export function countRecentSessions(database: Database, recent: RecentRows) {
  const { createdAt, deletedAt } = browserSessions;
  const isLost = sql`state = 'ended' AND end_reason = 'browser_lost'`;
  const countIf = (condition: SQL) => sql<number>`count(CASE WHEN ${condition} THEN 1 END)`;
  return [
    database
      .select({
        own: countIf(sql`pool_id IS NULL`),
        available: countIf(sql`pool_id IS NOT NULL AND state = 'idle'`),
        acquired: countIf(sql`pool_id IS NOT NULL AND state = 'active'`),
      })
      .from(browserSessions)
      .where(and(eq(browserSessions.organizationId, recent.organizationId), isLiving)),
    countByHour(database, browserSessions, recent, createdAt, isListed),
    countByHour(database, browserSessions, recent, deletedAt, isEnded),
    countByHour(database, browserSessions, recent, deletedAt, isLost),
  ] as const;
}

function listReferences(database: Database, condition: SQL | undefined): Promise<SessionReference[]> {
  return database
    .select({
      id: browserSessions.id,
      organizationId: browserSessions.organizationId,
      projectId: browserSessions.projectId,
    })
    .from(browserSessions)
    .where(condition);
}

/** Reads the state and the lease of sessions. */
export function listStates(database: Database, ids: readonly string[]) {
  const { id, state, lease } = browserSessions;
  return database.select({ id, state, lease }).from(browserSessions).where(isOneOf(id, ids));
}
