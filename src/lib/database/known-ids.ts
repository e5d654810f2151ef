import { sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./client.ts";
import { isOneOf } from "./conditions.ts";

/** The subset of the ids that a table has. */
export async function listKnownIds(
  database: Database,
  table: SQLiteTable & { id: SQLiteColumn },
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await database
    .select({ id: sql<string>`${table.id}` })
    .from(table)
    .where(isOneOf(table.id, ids));
  return new Set(rows.map(({ id }) => id));
}
