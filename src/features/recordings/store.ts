import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import type { Database } from "../../lib/database/client.ts";
import { insertWhere } from "../../lib/database/insert-where.ts";
import { isInProject, type ProjectScope } from "../../lib/database/project-scope.ts";
import { browserSessions } from "../../lib/database/schema/browser-sessions.ts";
import { type Chapter, type ReplayRow, replays } from "../../lib/database/schema/replays.ts";
import type { PageRequest } from "../../lib/http/pagination.ts";
import { fitsStorageQuota, isKnownOrganization, type Quotas, storageFull } from "../organizations/index.ts";
import { addRecording } from "../usage/index.ts";

/** @throws ServiceError 413 if its bytes exceed the organization's quota. */
export async function insertRecording(database: Database, row: ReplayRow, quotas: Quotas): Promise<void> {
  const fits = fitsStorageQuota(row.organizationId, row.sizeBytes, quotas);
  if (!(await insertWhere(database, replays, row, fits))) throw storageFull(quotas);
}

/** Reserves further bytes for a recording. @returns false if they exceed the organization's quota. */
export async function reserveRecordingBytes(
  database: Database,
  { id, organizationId }: Pick<ReplayRow, "id" | "organizationId">,
  bytes: number,
  quotas: Quotas,
): Promise<boolean> {
  const rows = await database
    .update(replays)
    .set({ sizeBytes: sql`${replays.sizeBytes} + ${bytes}` })
    .where(and(eq(replays.id, id), fitsStorageQuota(organizationId, bytes, quotas)))
    .returning({ id: replays.id });
  return rows.length > 0;
}

/** Finishes a recording once; a repetition changes nothing. @returns it, if this call finished it. */
export async function markRecordingFinished(
  database: Database,
  id: string,
  {
    durationMs,
    parts,
    ...columns
  }: {
    durationMs: number;
    parts: number[];
    mimeType: string | null;
    chapters: Chapter[];
    note: string | null;
  },
): Promise<Pick<ReplayRow, "sessionId"> | undefined> {
  const sizeBytes = parts.reduce((sum, size) => sum + size, 0);
  const isUnfinished = and(eq(replays.id, id), isNull(replays.finishedAt));
  const [, [row]] = await database.batch([
    addRecording(database, isUnfinished, parts.length === 0 ? 0 : durationMs),
    database
      .update(replays)
      .set({ ...columns, parts, sizeBytes, finishedAt: sql`${replays.startedAt} + ${durationMs}` })
      .where(isUnfinished)
      .returning({ sessionId: replays.sessionId }),
  ]);
  return row;
}

export async function findRecording(
  database: Database,
  sessionId: string,
  id: string,
): Promise<ReplayRow | undefined> {
  const [row] = await database
    .select()
    .from(replays)
    .where(and(eq(replays.id, id), eq(replays.sessionId, sessionId)))
    .limit(1);
  return row;
}

/** Oldest first. */
export function listRecordings(
  database: Database,
  scope: ProjectScope,
  sessionId: string,
): Promise<ReplayRow[]> {
  return database
    .select()
    .from(replays)
    .where(and(isInProject(replays, scope), eq(replays.sessionId, sessionId)))
    .orderBy(asc(replays.startedAt), asc(replays.id));
}

const { chapters: _, parts: __, ...LISTED } = getTableColumns(replays);

/** A project's recordings, newest first, with one row more than the page has. */
export function listAllRecordings(database: Database, scope: ProjectScope, page: PageRequest) {
  const { id, state, name, urlGeneration } = browserSessions;
  // Drizzle takes a null in the first column of a session for no session.
  return database
    .select({ recording: LISTED, session: { state, name, urlGeneration } })
    .from(replays)
    .leftJoin(browserSessions, eq(id, replays.sessionId))
    .where(isInProject(replays, scope))
    .orderBy(desc(replays.startedAt), desc(replays.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

export async function removeRecording(database: Database, id: string): Promise<void> {
  await database.delete(replays).where(eq(replays.id, id));
}

const isOfLivingSession = sql`EXISTS (SELECT 1 FROM ${browserSessions}
  WHERE ${browserSessions.id} = ${replays.sessionId} AND ${browserSessions.state} <> 'ended')`;

/** Recordings that are no longer running because their session has ended. */
export function listCrashedRecordings(
  database: Database,
  startedBefore: number,
  limit: number,
): Promise<ReplayRow[]> {
  const isCrashed = and(isNull(replays.finishedAt), lt(replays.startedAt, startedBefore));
  return database
    .select()
    .from(replays)
    .where(and(isCrashed, sql`NOT ${isOfLivingSession}`))
    .limit(limit);
}

/** Recordings of sessions or leases that ended before a time, and those of deleted organizations. */
export function listExpiredRecordings(
  database: Database,
  endedBefore: number,
  limit: number,
): Promise<ReplayRow[]> {
  const isInUse = sql`EXISTS (SELECT 1 FROM ${browserSessions} WHERE ${browserSessions.id} = ${replays.sessionId}
    AND ${browserSessions.poolId} IS NULL
    AND (${browserSessions.deletedAt} IS NULL OR ${browserSessions.deletedAt} >= ${endedBefore}))`;
  const isExpired = and(
    isNotNull(replays.finishedAt),
    lt(replays.finishedAt, endedBefore),
    sql`NOT ${isInUse}`,
  );
  return database
    .select()
    .from(replays)
    .where(or(isExpired, sql`NOT ${isKnownOrganization(replays.organizationId)}`))
    .limit(limit);
}
