import { and, count, eq, gte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./client.ts";

export const HOUR_MS = 3_600_000;

type OwnedTable = SQLiteTable & { organizationId: SQLiteColumn };

export interface RecentRows {
  organizationId: string;
  /** The beginning of the first hour. */
  since: number;
  /** Whatever began earlier cannot have failed since then: an index finds the others. */
  earliest: number;
}

/** A statement that counts rows by the hour of a column. Hours without rows are left out. */
export function countByHour<T extends OwnedTable>(
  database: Database,
  table: T,
  { organizationId, since }: RecentRows,
  at: SQLiteColumn,
  condition?: SQL,
) {
  return database
    .select({ hour: hourOf(at, since), count: count() })
    .from(table)
    .where(and(eq(table.organizationId, organizationId), gte(at, since), condition))
    .groupBy(sql`hour`);
}

/** Names the column `hour`, to group by it. */
export function hourOf(column: SQLWrapper, since: number) {
  return sql<number>`CAST((${column} - ${since}) / ${HOUR_MS} AS INTEGER)`.as("hour");
}
