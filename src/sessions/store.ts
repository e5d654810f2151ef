import { and, desc, eq, gte, isNull, lt, not, or, type SQL, sql } from "drizzle-orm";
import { isIdentifier } from "../common/identifiers.ts";
import type { Database } from "../database/client.ts";
import { contains } from "../database/conditions.ts";
import { columnValues, insertWhere } from "../database/insert-where.ts";
import { invocations } from "../database/schema/apps.ts";
import { browserPools } from "../database/schema/browser-pools.ts";
import {
  type BrowserSessionRow,
  browserSessions,
  idempotencyKeys,
} from "../database/schema/browser-sessions.ts";
import { organizations } from "../database/schema/organizations.ts";
import { isUniqueViolation } from "../database/unique-violation.ts";
import type { PageRequest } from "../http/pagination.ts";
import type { CallerReach } from "../organizations/index.ts";
import type { EndReason } from "./end-reason.ts";

// SQLite uses a partial index only where the query repeats the index's condition word for word: a bound
// parameter in the place of the state would not do. So the conditions below are spelled out.
const isActive = sql`state = 'active'`;
const isEnded = sql`state = 'ended'`;
const isIdle = sql`state = 'idle'`;
const isLiving = sql`state <> 'ended'`;
const isLivingOfInvocation = sql`invocation_id IS NOT NULL AND state <> 'ended'`;
const isListed = sql`state IN ('active', 'ended')`;

/** What an Idempotency-Key is to stand for, beside the session that is inserted with it. */
export interface IdempotencyClaim {
  key: string;
  bodyHash: string;
  /** A claim of the same key from before this moment counts no more. */
  expiredBefore: number;
}

/**
 * Inserts a session in state `starting`, in one statement that also counts against the organization's limit and
 * honours the unique names, persistence ids and idempotency keys, and that its invocation has not finished. A claim is
 * written with the session or not at all. False when one of them forbids it; nothing is changed then.
 */
export async function insertStartingSession(
  database: Database,
  row: BrowserSessionRow,
  options: { defaultLimit: number; claim?: IdempotencyClaim },
): Promise<boolean> {
  const { defaultLimit, claim } = options;
  const living = sql`(SELECT count(*) FROM ${browserSessions}
    WHERE ${browserSessions.organizationId} = ${row.organizationId} AND ${isLiving} AND pool_id IS NULL)`;
  const limit = sql`(SELECT coalesce(${organizations.maxConcurrentSessions}, ${defaultLimit})
    FROM ${organizations} WHERE ${organizations.id} = ${row.organizationId} AND ${organizations.disabledAt} IS NULL)`;
  const isClaimed =
    claim === undefined
      ? sql`FALSE`
      : sql`EXISTS (SELECT 1 FROM ${idempotencyKeys} WHERE ${idempotencyKeys.organizationId} = ${row.organizationId}
          AND ${idempotencyKeys.key} = ${claim.key} AND ${idempotencyKeys.createdAt} >= ${claim.expiredBefore})`;
  const isTimely =
    row.invocationId === null
      ? sql`TRUE`
      : sql`EXISTS (SELECT 1 FROM ${invocations} WHERE ${unfinishedInvocation(row.organizationId, row.invocationId)})`;
  const insert = database
    .insert(browserSessions)
    .select(
      sql`SELECT ${columnValues(browserSessions, row)} WHERE ${living} < ${limit} AND NOT ${isClaimed} AND ${isTimely}`,
    )
    .onConflictDoNothing()
    .returning({ id: browserSessions.id });
  if (claim === undefined) return (await insert).length > 0;
  const insertClaim = database
    .insert(idempotencyKeys)
    .select(
      sql`SELECT ${row.organizationId}, ${claim.key}, ${claim.bodyHash}, ${row.id}, ${row.createdAt}
        WHERE EXISTS (SELECT 1 FROM ${browserSessions} WHERE ${browserSessions.id} = ${row.id})`,
    )
    .onConflictDoUpdate({
      target: [idempotencyKeys.organizationId, idempotencyKeys.key],
      set: {
        bodyHash: sql`excluded.body_hash`,
        sessionId: sql`excluded.session_id`,
        createdAt: sql`excluded.created_at`,
      },
    });
  const [inserted] = await database.batch([insert, insertClaim]);
  return inserted.length > 0;
}

/**
 * Inserts a session in state `starting` for its pool. False when there is no such pool any more, or its organization
 * is disabled.
 */
export async function insertPooledSession(database: Database, row: BrowserSessionRow): Promise<boolean> {
  const hasPool = sql`EXISTS (SELECT 1 FROM ${browserPools}
    INNER JOIN ${organizations} ON ${organizations.id} = ${browserPools.organizationId}
    WHERE ${browserPools.id} = ${row.poolId} AND ${organizations.disabledAt} IS NULL)`;
  return insertWhere(database, browserSessions, row, hasPool);
}

/** The claim that stands for a key, unless it has expired, with its session, unless that is removed already. */
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

const organizationIsEnabled = sql`EXISTS (SELECT 1 FROM ${organizations}
  WHERE ${organizations.id} = ${browserSessions.organizationId} AND ${organizations.disabledAt} IS NULL)`;

/** Of a session that belongs to no invocation, too. */
const invocationIsUnfinished = sql`(${browserSessions.invocationId} IS NULL OR EXISTS (SELECT 1 FROM ${invocations}
  WHERE ${invocations.id} = ${browserSessions.invocationId} AND ${invocations.finishedAt} IS NULL))`;

/** Whether the organization has that invocation, and it has not finished. */
export async function isInvocationUnfinished(
  database: Database,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await database
    .select({ id: invocations.id })
    .from(invocations)
    .where(unfinishedInvocation(organizationId, id))
    .limit(1);
  return rows.length > 0;
}

function unfinishedInvocation(organizationId: string, id: string): SQL | undefined {
  return and(
    eq(invocations.organizationId, organizationId),
    eq(invocations.id, id),
    isNull(invocations.finishedAt),
  );
}

/**
 * Notes that a starting session has started.
 *
 * @returns how often its URLs have been revoked by then; undefined when it, its organization or its invocation was given
 * up meanwhile.
 */
export async function markSessionStarted(
  database: Database,
  id: string,
  state: "active" | "idle",
): Promise<number | undefined> {
  const [row] = await database
    .update(browserSessions)
    .set({ state })
    .where(
      and(
        eq(browserSessions.id, id),
        eq(browserSessions.state, "starting"),
        organizationIsEnabled,
        invocationIsUnfinished,
      ),
    )
    .returning({ urlGeneration: browserSessions.urlGeneration });
  return row?.urlGeneration;
}

/**
 * Removes every trace of a session whose start is undone, so that its place, name and key are free again. That
 * the row says `active` only means that the start came so far.
 */
export async function removeUnstartedSession(database: Database, id: string): Promise<void> {
  await database.batch([
    database.delete(idempotencyKeys).where(eq(idempotencyKeys.sessionId, id)),
    database.delete(browserSessions).where(and(eq(browserSessions.id, id), isLiving)),
  ]);
}

/** Marks a session ended; one that nobody has leased leaves no trace. Marking it again changes nothing. */
export async function markSessionEnded(
  database: Database,
  id: string,
  { reason, at, details }: { reason: EndReason; at: number; details?: string },
): Promise<void> {
  await database.batch([
    database.delete(browserSessions).where(and(eq(browserSessions.id, id), isIdle)),
    database
      .update(browserSessions)
      .set({ state: "ended", deletedAt: at, endReason: reason, endDetails: details ?? null })
      .where(and(eq(browserSessions.id, id), isLiving)),
  ]);
}

/** The caller's session with that id, else the newest of that name, an active one before an ended one. */
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

/** A living session by its name or persistence id: what stands in the way of a new one with the same. */
export async function findLivingSession(
  database: Database,
  organizationId: string,
  by: { name: string } | { persistenceId: string },
): Promise<BrowserSessionRow | undefined> {
  const wanted =
    "name" in by ? eq(browserSessions.name, by.name) : eq(browserSessions.persistenceId, by.persistenceId);
  const [row] = await database
    .select()
    .from(browserSessions)
    .where(and(eq(browserSessions.organizationId, organizationId), wanted, isLiving))
    .limit(1);
  return row;
}

export interface SessionFilter {
  status: "active" | "deleted" | "all";
  /** Part of a name, or an id, of the session, its proxy or its profile. */
  query?: string;
  tags: Record<string, string>;
}

/** Newest first, ties by id; one row more than the page holds. */
export async function listSessions(
  database: Database,
  caller: CallerReach,
  filter: SessionFilter,
  page: PageRequest,
): Promise<BrowserSessionRow[]> {
  return database
    .select()
    .from(browserSessions)
    .where(and(withinReach(caller), ...filterConditions(filter)))
    .orderBy(desc(browserSessions.createdAt), desc(browserSessions.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

/** As `isWithinReach` says of one. */
function withinReach({ organizationId, invocationId }: CallerReach): SQL | undefined {
  return and(
    eq(browserSessions.organizationId, organizationId),
    invocationId === null ? undefined : eq(browserSessions.invocationId, invocationId),
  );
}

function filterConditions({ status, query, tags }: SessionFilter): (SQL | undefined)[] {
  const states = { active: isActive, deleted: isEnded, all: isListed };
  const conditions: (SQL | undefined)[] = [states[status]];
  if (query !== undefined && query !== "") {
    const { id, name, proxyId, profileId } = browserSessions;
    conditions.push(or(eq(id, query), contains(name, query), eq(proxyId, query), eq(profileId, query)));
  }
  if (Object.keys(tags).length > 0) {
    // One parameter for all of them: D1 limits how many a query may have.
    conditions.push(sql`NOT EXISTS (
      SELECT 1 FROM json_each(${JSON.stringify(tags)}) AS wanted
      WHERE NOT EXISTS (
        SELECT 1 FROM json_each(${browserSessions.tags}) AS tag WHERE tag.key = wanted.key AND tag.value = wanted.value
      )
    )`);
  }
  return conditions;
}

/**
 * Changes an active session's name, tags and viewport, as long as it is under the lease that it was found under.
 *
 * @returns the changed session; `"name-taken"` when another living session has the name; undefined when it is
 * not active.
 */
export async function updateSession(
  database: Database,
  { id, lease }: Pick<BrowserSessionRow, "id" | "lease">,
  change: Partial<
    Pick<BrowserSessionRow, "name" | "tags" | "viewportWidth" | "viewportHeight" | "viewportRefreshRate">
  >,
): Promise<BrowserSessionRow | "name-taken" | undefined> {
  return unlessNameTaken(async () => {
    const [row] = await database
      .update(browserSessions)
      // The id changes nothing; it makes a statement of a change that is empty.
      .set({ id, ...change })
      .where(and(eq(browserSessions.id, id), isActive, sql`${browserSessions.lease} IS ${lease}`))
      .returning();
    return row;
  });
}

/** Notes which proxy and profile a living session has. */
export async function updateSessionReferences(
  database: Database,
  id: string,
  references: Pick<BrowserSessionRow, "proxyId" | "profileId">,
): Promise<void> {
  await database
    .update(browserSessions)
    .set(references)
    .where(and(eq(browserSessions.id, id), isLiving));
}

/**
 * Begins a new generation of URLs for living sessions: one of the caller's, or all that an API key of the organization
 * created.
 */
export async function nextURLGeneration(
  database: Database,
  organizationId: string,
  of: { sessionId: string } | { apiKeyId: string },
): Promise<BrowserSessionRow[]> {
  const wanted =
    "sessionId" in of
      ? eq(browserSessions.id, of.sessionId)
      : and(eq(browserSessions.apiKeyId, of.apiKeyId), sql`api_key_id IS NOT NULL`);
  return database
    .update(browserSessions)
    .set({ urlGeneration: sql`${browserSessions.urlGeneration} + 1` })
    .where(and(eq(browserSessions.organizationId, organizationId), wanted, isLiving))
    .returning();
}

/** What a lease makes of a pooled session. */
export type SessionLease = Pick<
  BrowserSessionRow,
  "name" | "tags" | "poolName" | "lease" | "createdAt" | "apiKeyId"
> & {
  startURL?: string;
};

/**
 * Lists an idle pooled session as leased.
 *
 * @returns the session; `"name-taken"` when another living session has the name; undefined when it is not idle.
 */
export async function leaseSession(
  database: Database,
  id: string,
  lease: SessionLease,
): Promise<BrowserSessionRow | "name-taken" | undefined> {
  return unlessNameTaken(async () => {
    const [row] = await database
      .update(browserSessions)
      .set({ state: "active", ...lease })
      .where(and(eq(browserSessions.id, id), isIdle))
      .returning();
    return row;
  });
}

/** Takes a leased session off the lists, with all that its lease has made of it. */
export async function returnSession(
  database: Database,
  id: string,
  before: Pick<
    BrowserSessionRow,
    "startURL" | "viewportWidth" | "viewportHeight" | "viewportRefreshRate" | "proxyId" | "profileId"
  >,
): Promise<void> {
  await database
    .update(browserSessions)
    .set({ state: "idle", name: null, tags: {}, lease: null, apiKeyId: null, ...before })
    .where(and(eq(browserSessions.id, id), isActive));
}

async function unlessNameTaken<T>(work: () => Promise<T>): Promise<T | "name-taken"> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) return "name-taken";
    throw error;
  }
}

/** Living sessions of a pool that are older than a moment. */
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

/** Active sessions, pooled ones only while they are leased, whose organization is disabled or deleted. */
export async function listOrphanedSessions(
  database: Database,
): Promise<{ id: string; organizationId: string }[]> {
  return database
    .select({ id: browserSessions.id, organizationId: browserSessions.organizationId })
    .from(browserSessions)
    .where(and(isActive, not(organizationIsEnabled)));
}

/** Active sessions that belong to an invocation, newest first. */
export async function listSessionsOfInvocation(
  database: Database,
  invocationId: string,
): Promise<BrowserSessionRow[]> {
  return database
    .select()
    .from(browserSessions)
    .where(and(eq(browserSessions.invocationId, invocationId), isLivingOfInvocation, isActive))
    .orderBy(desc(browserSessions.createdAt), desc(browserSessions.id));
}

/** Living sessions that belong to an invocation, whatever their state. */
export async function listLivingSessionsOfInvocation(
  database: Database,
  invocationId: string,
): Promise<{ id: string; organizationId: string }[]> {
  return database
    .select({ id: browserSessions.id, organizationId: browserSessions.organizationId })
    .from(browserSessions)
    .where(and(eq(browserSessions.invocationId, invocationId), isLivingOfInvocation));
}

/** Active sessions that belong to an invocation that has finished or is gone. */
export async function listSessionsOfFinishedInvocations(
  database: Database,
): Promise<{ id: string; organizationId: string }[]> {
  return database
    .select({ id: browserSessions.id, organizationId: browserSessions.organizationId })
    .from(browserSessions)
    .where(and(isLivingOfInvocation, isActive, not(invocationIsUnfinished)));
}

/** Removes what is kept no longer: ended sessions and idempotency keys older than their moments. */
export async function removeExpiredRecords(
  database: Database,
  before: { endedAt: number; keyCreatedAt: number },
): Promise<void> {
  await database.batch([
    database.delete(browserSessions).where(and(isEnded, lt(browserSessions.deletedAt, before.endedAt))),
    database.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, before.keyCreatedAt)),
  ]);
}
