import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./client.ts";

/**
 * Inserts a row if a condition holds, which the same statement decides.
 *
 * @param along statements of the same transaction; they run in any case.
 * @returns whether it did.
 */
export async function insertWhere<T extends SQLiteTable>(
  database: Database,
  table: T,
  row: T["$inferSelect"],
  condition: SQL,
  along: readonly BatchItem<"sqlite">[] = [],
): Promise<boolean> {
  // An insert from a select names every column, in the order of the table.
  const values = Object.entries(getTableColumns(table)).map(([name, column]) =>
    sql.param(Reflect.get(row, name), column),
  );
  const insert = database
    .insert(table)
    .select(sql`SELECT ${sql.join(values, sql`, `)} WHERE ${condition}`)
    .returning();
  const [inserted] = await database.batch([insert, ...along]);
  return inserted.length > 0;
}
