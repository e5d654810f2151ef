import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { logError } from "../../lib/common/log.ts";
import { type Database, openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import { browserSessions } from "../../lib/database/schema/browser-sessions.ts";
import { replays } from "../../lib/database/schema/replays.ts";
import { counters, usageHours } from "../../lib/database/schema/usage.ts";
import { groupsOfSession, HOUR_MS, RETENTION_MS, sessionTime } from "./time.ts";

const { organizationId, hour, projectId, apiKeyId, poolId, tags, ...counted } = getTableColumns(usageHours);

/** Callers choose tags, so how much of them is stored in rows is bounded. */
const MAX_TAGS_LENGTH = 1000;

/** Of an organization, in an hour. */
const MAX_ROWS_WITH_TAGS = 1000;

type AddedUsage = Partial<Record<keyof typeof counted, number>>;

/**
 * Adds the time of living sessions to its hours. It belongs in the transaction that ends the session or
 * lease, before the statement that does so and with the same condition, so that the time is counted once.
 */
export function addSessionTime(database: Database, sessions: SQL | undefined, at: number) {
  const range = { from: at - RETENTION_MS, until: at, interval: HOUR_MS };
  return insertUsage(database, sessionTime(sessions, range));
}

/** Counts usage besides time by the session's key, pool and tags now. Never rejects, to fail no operation. */
export async function recordSessionUsage(env: Env, sessionId: string, usage: AddedUsage): Promise<void> {
  const groups = sql`organization_id, ${hourOf(Date.now())}, project_id, ${groupsOfSession()}`;
  const rows = sql`SELECT ${groups}, ${valuesOf(usage)} FROM ${browserSessions} WHERE id = ${sessionId}`;
  await insertUsage(openDatabase(env.DB), rows).catch((error: unknown) =>
    logError("use_not_counted", error, { session_id: sessionId }),
  );
}

/** Adds recorded time to the hour it began in. After its lease it has the pool, but no more key and tags. */
export function addRecording(database: Database, recordings: SQL | undefined, recordedMs: number) {
  const { startedAt } = replays;
  const isOfNow = sql`${browserSessions.createdAt} <= ${startedAt}`;
  const groups = sql`${replays.organizationId}, ${hourOf(startedAt)}, ${replays.projectId}, ${groupsOfSession(isOfNow)}`;
  return insertUsage(
    database,
    sql`SELECT ${groups}, ${valuesOf({ recordedMs })} FROM ${replays}
      LEFT JOIN ${browserSessions} ON ${browserSessions.id} = ${replays.sessionId} WHERE ${recordings}`,
  );
}

/** Adds usage that belongs to no session to the hour of `at`, if a condition holds. */
export function addUsage(
  database: Database,
  owner: ProjectScope & { apiKeyId?: string | null },
  at: number,
  usage: AddedUsage,
  condition = sql`TRUE`,
) {
  const groups = sql`${owner.organizationId}, ${hourOf(at)}, ${owner.projectId}, ${owner.apiKeyId ?? ""}, '', '{}'`;
  return insertUsage(database, sql`SELECT ${groups}, ${valuesOf(usage)} WHERE ${condition}`);
}

/** @param rows in the order of the table's columns. */
export function insertUsage(database: Database, rows: SQL) {
  const columns = Object.values(getTableColumns(usageHours)).map(({ name }) => name);
  const isFull = sql`EXISTS (SELECT 1 FROM ${usageHours} AS known WHERE known.organization_id = used.organization_id
    AND known.hour = used.hour LIMIT 1 OFFSET ${MAX_ROWS_WITH_TAGS})`;
  const keptTags = sql`CASE WHEN length(tags) > ${MAX_TAGS_LENGTH} OR tags <> '{}' AND ${isFull} THEN '{}' ELSE tags END`;
  const values = columns.map((name) => (name === tags.name ? keptTags : sql.raw(name)));
  const sums = Object.entries(counted).map(([field, { name }]) => [
    field,
    sql.raw(`${name} + excluded.${name}`),
  ]);
  return (
    database
      .insert(usageHours)
      // Without a WHERE, SQLite parses ON CONFLICT as part of the FROM.
      .select(
        sql`WITH used (${sql.raw(columns.join())}) AS (${rows}) SELECT ${sql.join(values, sql`, `)} FROM used WHERE TRUE`,
      )
      .onConflictDoUpdate({
        target: [organizationId, hour, projectId, apiKeyId, poolId, tags],
        set: Object.fromEntries(sums),
      })
  );
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

function hourOf(at: number | typeof replays.startedAt): SQL {
  return sql`${at} - ${at} % ${HOUR_MS}`;
}

function valuesOf(usage: AddedUsage): SQL {
  const values = Object.keys(counted).map((field) => sql`${Reflect.get(usage, field) ?? 0}`);
  return sql.join(values, sql`, `);
}
