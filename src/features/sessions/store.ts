import { and, eq, lt, not, type SQL, sql } from "drizzle-orm";
import { unauthorized } from "../../lib/common/errors.ts";
import type { Database } from "../../lib/database/client.ts";
import { columnValues, insertWhere } from "../../lib/database/insert-where.ts";
import { invocations } from "../../lib/database/schema/apps.ts";
import {
  type BrowserSessionRow,
  browserSessions,
  type Evidence,
  idempotencyKeys,
} from "../../lib/database/schema/browser-sessions.ts";
import { unlessNameTaken } from "../../lib/database/unique-violation.ts";
import { sessionLimitReached } from "../../platform/broker/index.ts";
import { allHold, type Check, explainRefusal, isValidKey, limitOf } from "../organizations/index.ts";
import { addSessionTime, count } from "../usage/index.ts";
import {
  invocationIsUnfinished,
  isActive,
  isEnded,
  isIdle,
  isLiving,
  organizationIsEnabled,
  unfinishedInvocation,
} from "./conditions.ts";
import type { EndReason } from "./end-reason.ts";
import { fitsKeyLimit, sessionChecks } from "./limits.ts";
import type { SessionRecord } from "./record.ts";

/** An Idempotency-Key to be written with a new session. */
export interface IdempotencyClaim {
  key: string;
  bodyHash: string;
  /** Older claims of the same key are ignored. */
  expiredBefore: number;
}

/**
 * Inserts a session, in one statement that also checks the limits of the organization, the project and the
 * key, the budget, unique names and persistence ids, the idempotency claim, that the invocation is
 * unfinished, and, for an active session, that its API key is still valid. The claim is written only with the
 * session.
 *
 * @returns false if any check fails.
 */
export async function insertSession(
  database: Database,
  row: BrowserSessionRow,
  options: { defaultLimit: number; claim?: IdempotencyClaim },
): Promise<boolean> {
  const { defaultLimit, claim } = options;
  const isClaimed =
    claim === undefined
      ? sql`FALSE`
      : sql`EXISTS (SELECT 1 FROM ${idempotencyKeys} WHERE ${idempotencyKeys.organizationId} = ${row.organizationId}
          AND ${idempotencyKeys.key} = ${claim.key} AND ${idempotencyKeys.createdAt} >= ${claim.expiredBefore})`;
  const isTimely =
    row.invocationId === null
      ? sql`TRUE`
      : sql`EXISTS (SELECT 1 FROM ${invocations} WHERE ${unfinishedInvocation(row, row.invocationId)})`;
  const insert = database
    .insert(browserSessions)
    .select(
      sql`SELECT ${columnValues(browserSessions, row)}
        WHERE ${isBelowLimit(row.organizationId, defaultLimit)} AND NOT ${isClaimed} AND ${isTimely} AND ${allHold(checksOf(row))}`,
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

/** Null, which does not hold, for a disabled organization. */
function isBelowLimit(organizationId: string, defaultLimit: number): SQL {
  const living = sql`(SELECT count(*) FROM ${browserSessions}
    WHERE ${browserSessions.organizationId} = ${organizationId} AND ${isLiving} AND pool_id IS NULL)`;
  return sql`${living} < ${limitOf(organizationId, "maxConcurrentSessions", defaultLimit)}`;
}

/** Whether an organization has its limit of sessions. {@link insertSession} decides. */
export async function hasReachedLimit(
  database: Database,
  organizationId: string,
  defaultLimit: number,
): Promise<boolean> {
  const isBelow = isBelowLimit(organizationId, defaultLimit);
  const [found] = await database.all<{ isBelow: number | null }>(sql`SELECT ${isBelow} AS isBelow`);
  return found?.isBelow === 0;
}

/** URLs of a starting session are revoked with its row, so only the key of an active one is checked. */
function checksOf(row: BrowserSessionRow): Check[] {
  const { organizationId, apiKeyId: id } = row;
  const isAuthorized =
    row.state !== "active" || id === null ? sql`TRUE` : isValidKey({ organizationId, id }, Date.now());
  const refusal = () => unauthorized("The API key was deleted or has expired");
  return [{ holds: isAuthorized, refusal }, ...sessionChecks(row)];
}

/**
 * Explains why {@link insertSession} returned false although no name, key or invocation was in the way.
 *
 * @throws ServiceError 401 for a key that was revoked, 402 over the budget, 404 for an archived project, 429
 * at a limit.
 */
export async function explainRefusedInsert(database: Database, row: BrowserSessionRow): Promise<never> {
  await explainRefusal(database, checksOf(row));
  throw sessionLimitReached();
}

/** @returns false if a condition does not hold. */
export async function insertPooledSession(
  database: Database,
  row: BrowserSessionRow,
  condition: SQL,
): Promise<boolean> {
  return insertWhere(database, browserSessions, row, condition);
}

/** A statement that gives the living sessions of a pool its name. */
export function renamePool(database: Database, poolId: string, poolName: SQL) {
  return database
    .update(browserSessions)
    .set({ poolName })
    .where(and(eq(browserSessions.poolId, poolId), sql`pool_id IS NOT NULL AND state <> 'ended'`));
}

/** @returns undefined when the session, its organization or its invocation has ended in the meantime. */
export async function markSessionStarted(
  database: Database,
  id: string,
  { state, standbyMs }: { state: "active" | "idle"; standbyMs: number },
): Promise<BrowserSessionRow | undefined> {
  const [row] = await database
    .update(browserSessions)
    .set({ state, standbyMs, ...(state === "active" && unusedSince(Date.now())) })
    .where(
      and(
        eq(browserSessions.id, id),
        eq(browserSessions.state, "starting"),
        organizationIsEnabled,
        invocationIsUnfinished,
      ),
    )
    .returning();
  return row;
}

/** Releases the limit, name and key of a session whose start failed. Its state may already be `active`. */
export async function removeUnstartedSession(database: Database, id: string): Promise<void> {
  await database.batch([
    database.delete(idempotencyKeys).where(eq(idempotencyKeys.sessionId, id)),
    database.delete(browserSessions).where(and(eq(browserSessions.id, id), isLiving)),
  ]);
}

/** Idempotent. Idle sessions, unseen by callers, are deleted. @returns a seen session if this ended it. */
export async function markSessionEnded(
  database: Database,
  id: string,
  { reason, at, details, evidence, apiKeyId }: NonNullable<SessionRecord["end"]>,
): Promise<BrowserSessionRow | undefined> {
  const isFound = eq(browserSessions.id, id);
  const [, , , [row]] = await database.batch([
    addSessionTime(database, and(isFound, isLiving), at),
    countEnd(database, and(isFound, isLiving, not(isIdle)), reason),
    database.delete(browserSessions).where(and(isFound, isIdle)),
    database
      .update(browserSessions)
      .set({
        state: "ended",
        deletedAt: at,
        endReason: reason,
        endDetails: details ?? null,
        endedByApiKeyId: apiKeyId ?? null,
        evidence: evidence ?? null,
        ...unusedSince(null),
      })
      .where(and(isFound, isLiving))
      .returning(),
  ]);
  return row;
}

/** Keeps what an ended session's tabs last showed. */
export async function writeEvidence(database: Database, id: string, evidence: Evidence): Promise<void> {
  await database
    .update(browserSessions)
    .set({ evidence })
    .where(and(eq(browserSessions.id, id), isEnded));
}

/** Sessions and leases that ended are a metric. */
function countEnd(database: Database, sessions: SQL | undefined, reason: EndReason) {
  return count(
    database,
    { name: "sessions_ended", label: reason },
    sql`${browserSessions} WHERE ${sessions}`,
  );
}

/** Changes an active session, if its lease is still the given one. @returns undefined if not active. */
export async function updateSession(
  database: Database,
  { id, lease }: Pick<BrowserSessionRow, "id" | "lease">,
  change: Partial<
    Pick<
      BrowserSessionRow,
      "name" | "tags" | "viewportWidth" | "viewportHeight" | "viewportRefreshRate" | "telemetry"
    >
  >,
): Promise<BrowserSessionRow | "name-taken" | undefined> {
  return unlessNameTaken(async () => {
    const [row] = await database
      .update(browserSessions)
      // Setting the id keeps the statement valid for an empty change.
      .set({ id, ...change })
      .where(and(eq(browserSessions.id, id), isActive, sql`${browserSessions.lease} IS ${lease}`))
      .returning();
    return row;
  });
}

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

export type SessionActivity = Pick<BrowserSessionRow, "clients" | "viewers" | "handoffs" | "idleSince">;

/** Does nothing once the session or the lease has ended. */
export async function writeActivity(
  database: Database,
  { id, lease }: Pick<SessionRecord, "id" | "lease">,
  activity: SessionActivity,
): Promise<void> {
  await database
    .update(browserSessions)
    .set(activity)
    .where(and(eq(browserSessions.id, id), isActive, sql`${browserSessions.lease} IS ${lease ?? null}`));
}

function unusedSince(idleSince: number | null): SessionActivity {
  return { clients: 0, viewers: 0, handoffs: null, idleSince };
}

/** Revokes the URLs of a living session, or of all those that an API key created, by a new URL generation. */
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

export type SessionLease = Pick<
  BrowserSessionRow,
  "name" | "tags" | "poolName" | "lease" | "createdAt" | "apiKeyId" | "telemetry" | "record"
> & {
  startURL?: string;
};

/** @returns undefined when the session is not idle. */
export async function leaseSession(
  database: Database,
  id: string,
  lease: SessionLease,
): Promise<BrowserSessionRow | "name-taken" | "key-limit" | undefined> {
  const fitsKey = fitsKeyLimit(lease.apiKeyId);
  const isFree = and(eq(browserSessions.id, id), isIdle, fitsKey);
  return unlessNameTaken(async () => {
    const [, [row]] = await database.batch([
      addSessionTime(database, isFree, lease.createdAt),
      database
        .update(browserSessions)
        .set({ state: "active", ...lease, ...unusedSince(lease.createdAt) })
        .where(isFree)
        .returning(),
    ]);
    if (row !== undefined) return row;
    const [found] = await database.all<{ fits: number }>(sql`SELECT ${fitsKey} AS fits`);
    return found?.fits === 0 ? ("key-limit" as const) : undefined;
  });
}

/**
 * Resets a leased session to idle.
 *
 * @param at when the lease ended; undefined: no caller received it.
 * @returns the session as it was leased; undefined if it was not.
 */
export async function returnSession(
  database: Database,
  id: string,
  at: number | undefined,
  before: Pick<
    BrowserSessionRow,
    "startURL" | "viewportWidth" | "viewportHeight" | "viewportRefreshRate" | "proxyId" | "profileId"
  >,
): Promise<BrowserSessionRow | undefined> {
  const isLeased = and(eq(browserSessions.id, id), isActive);
  const isCounted = at === undefined ? sql`FALSE` : isLeased;
  const [[leased]] = await database.batch([
    database.select().from(browserSessions).where(isLeased),
    addSessionTime(database, isCounted, at ?? 0),
    countEnd(database, isCounted, "released"),
    database
      .update(browserSessions)
      .set({
        state: "idle",
        createdAt: at,
        name: null,
        tags: {},
        lease: null,
        apiKeyId: null,
        ...unusedSince(null),
        ...before,
      })
      .where(isLeased),
  ]);
  return leased;
}

/** Removes expired sessions and idempotency keys. */
export async function removeExpiredRecords(
  database: Database,
  before: { endedAt: number; keyCreatedAt: number },
): Promise<void> {
  await database.batch([
    database.delete(browserSessions).where(and(isEnded, lt(browserSessions.deletedAt, before.endedAt))),
    database.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, before.keyCreatedAt)),
  ]);
}
