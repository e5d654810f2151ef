import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import type { ProjectScope } from "../database/project-scope.ts";
import { browserSessions } from "../database/schema/browser-sessions.ts";
import { replays } from "../database/schema/replays.ts";
import { counters, usageHours } from "../database/schema/usage.ts";
import { groupsOfSession, HOUR_MS, RETENTION_MS, sessionTime } from "./session-time.ts";

/** The counted columns, in the order of the table. */
export const COUNTED = [
  "browserMs",
  "sessions",
  "invocations",
  "dynamicWorkers",
  "recordedMs",
  "storedByteHours",
  "proxiedBytes",
] as const;

export type Use = Record<(typeof COUNTED)[number], number>;

/**
 * Adds the time of living sessions to the hours that it covers. It belongs into the transaction that ends the session or
 * lease, before the statement that does so, with the same condition: then it is counted once.
 */
export function addSessionTime(database: Database, sessions: SQL | undefined, at: number) {
  return insertUse(
    database,
    sessionTime(sessions, { from: at - RETENTION_MS, until: at, interval: HOUR_MS }),
  );
}

/** Adds use to the hour of `at`, by the key, pool and tags that a session now has. */
export function addSessionUse(database: Database, sessionId: string, at: number, use: Partial<Use>) {
  const { id, organizationId, projectId } = browserSessions;
  const owner = sql`${organizationId}, ${hourOf(at)}, ${projectId}, ${groupsOfSession()}`;
  return insertUse(
    database,
    sql`SELECT ${owner}, ${valuesOf(use)} FROM ${browserSessions} WHERE ${id} = ${sessionId}`,
  );
}

/**
 * Adds the length of recordings to the hours in which they began. One that ends when its browser is back in the pool has
 * the pool, but no longer the key and tags.
 */
export function addRecording(database: Database, recordings: SQL | undefined, recordedMs: number) {
  const { startedAt } = replays;
  const isOfNow = sql`${browserSessions.createdAt} <= ${startedAt}`;
  const hour = sql`${startedAt} - ${startedAt} % ${HOUR_MS}`;
  return insertUse(
    database,
    sql`SELECT ${replays.organizationId}, ${hour}, coalesce(project_id, ''), ${groupsOfSession(isOfNow)}, ${valuesOf({ recordedMs })}
      FROM ${replays} LEFT JOIN ${browserSessions} ON ${browserSessions.id} = ${replays.sessionId} WHERE ${recordings}`,
  );
}

/** Adds use that belongs to no session to the hour of `at`, if a condition holds. */
export function addUse(
  database: Database,
  { organizationId, projectId, apiKeyId = null }: ProjectScope & { apiKeyId?: string | null },
  at: number,
  use: Partial<Use>,
  condition = sql`TRUE`,
) {
  const owner = sql`${organizationId}, ${hourOf(at)}, ${projectId}, ${apiKeyId ?? ""}, '', '{}'`;
  return insertUse(database, sql`SELECT ${owner}, ${valuesOf(use)} WHERE ${condition}`);
}

/** @param rows in the order of the table's columns; a select with a WHERE, or SQLite takes ON CONFLICT for a join's. */
export function insertUse(database: Database, rows: SQL) {
  const columns = getTableColumns(usageHours);
  const sums = COUNTED.map((counted) => {
    const { name } = columns[counted];
    return [counted, sql.raw(`${name} + excluded.${name}`)] as const;
  });
  return database
    .insert(usageHours)
    .select(rows)
    .onConflictDoUpdate({
      target: [
        usageHours.organizationId,
        usageHours.hour,
        usageHours.projectId,
        usageHours.apiKeyId,
        usageHours.poolId,
        usageHours.tags,
      ],
      set: Object.fromEntries(sums),
    });
}

/** Adds one to a counter of GET /metrics for each row of `from`. */
export function count(
  database: Database,
  { name, label }: Pick<typeof counters.$inferSelect, "name" | "label">,
  from: SQL,
) {
  return database
    .insert(counters)
    .select(sql`SELECT ${name}, ${label}, 1 FROM ${from}`)
    .onConflictDoUpdate({
      target: [counters.name, counters.label],
      set: { value: sql.raw("value + excluded.value") },
    });
}

function hourOf(at: number): number {
  return at - (at % HOUR_MS);
}

function valuesOf(use: Partial<Use>): SQL {
  return sql.join(
    COUNTED.map((name) => sql`${use[name] ?? 0}`),
    sql`, `,
  );
}
