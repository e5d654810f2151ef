import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./client.ts";

/** In one statement; the transaction's `extraStatements` run anyway. @returns whether a row was inserted. */
export async function insertWhere<T extends SQLiteTable>(
  database: Database,
  table: T,
  row: T["$inferSelect"],
  condition: SQL,
  extraStatements: readonly BatchItem<"sqlite">[] = [],
): Promise<boolean> {
  const insert = database
    .insert(table)
    .select(sql`SELECT ${columnValues(table, row)} WHERE ${condition}`)
    .returning({ inserted: sql`1` });
  if (extraStatements.length === 0) return (await insert).length > 0;
  const [inserted] = await database.batch([insert, ...extraStatements]);
  return inserted.length > 0;
}

/** `INSERT ... SELECT` takes the values in the order of the table's columns. */
export function columnValues<T extends SQLiteTable>(table: T, row: T["$inferSelect"]): SQL {
  const values = Object.entries(getTableColumns(table)).map(([name, column]) =>
    sql.param(Reflect.get(row, name), column),
  );
  return sql.join(values, sql`, `);
}
