import { and, eq, gte, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { REGIONS } from "../../lib/common/region-names.ts";
import type { Region } from "../../lib/common/regions.ts";
import type { Database } from "../../lib/database/client.ts";
import { type BrowserSessionRow, browserSessions } from "../../lib/database/schema/browser-sessions.ts";

// SQLite uses a partial index only if the query repeats its condition word for word.
const isLiving = sql`state <> 'ended'`;

type LivingSession = Pick<BrowserSessionRow, "id" | "state" | "createdAt">;

/** The sessions of a broker that have not ended. */
export function listLivingSessions(database: Database, region: Region | null): Promise<LivingSession[]> {
  const { id, state, createdAt } = browserSessions;
  const isOfBroker = region === null ? isNull(browserSessions.region) : eq(browserSessions.region, region);
  return database
    .select({ id, state, createdAt })
    .from(browserSessions)
    .where(sql`${isLiving} AND ${isOfBroker}`);
}

/** The regions of sessions that have not ended or were created since a moment, for which browsers may wait. */
export async function listRegionsInUse(database: Database, since: number): Promise<Region[]> {
  const regionsWhere = (condition: SQL) =>
    database
      .select({ region: browserSessions.region })
      .from(browserSessions)
      .where(and(condition, isNotNull(browserSessions.region)));
  // Two queries, because SQLite uses an index for each, but none for an OR.
  const rows = await regionsWhere(isLiving).union(regionsWhere(gte(browserSessions.createdAt, since)));
  return REGIONS.filter((region) => rows.some((row) => row.region === region));
}
