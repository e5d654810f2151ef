import { eq, isNotNull, isNull, sql } from "drizzle-orm";
import { REGIONS, type Region } from "../common/regions.ts";
import type { Database } from "../database/client.ts";
import { isOneOf } from "../database/conditions.ts";
import {
  type BrowserSessionRow,
  browserSessions,
  launchedBrowsers,
} from "../database/schema/browser-sessions.ts";
import type { BrowserRecord } from "./browser-records.ts";

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

/** The regions of sessions that have not ended. */
export async function listRegionsInUse(database: Database): Promise<Region[]> {
  const rows = await database
    .selectDistinct({ region: browserSessions.region })
    .from(browserSessions)
    .where(sql`${isLiving} AND ${isNotNull(browserSessions.region)}`);
  return REGIONS.filter((region) => rows.some((row) => row.region === region));
}

/**
 * Browsers that an older version launched and no broker has taken over yet. That version did not record their
 * organizations.
 */
export async function listOlderBrowsers(database: Database): Promise<BrowserRecord[]> {
  const rows = await database.select().from(launchedBrowsers);
  return rows.map((row) => ({
    ...row,
    organizationId: "",
    ...(row.sessionId === "standby"
      ? { kind: "standby", state: "ready" }
      : { kind: "session", state: "used" }),
  }));
}

export async function forgetOlderBrowsers(database: Database, browserIds: readonly string[]): Promise<void> {
  await database.delete(launchedBrowsers).where(isOneOf(launchedBrowsers.browserId, browserIds));
}
