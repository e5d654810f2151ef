import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Case-insensitive substring match. D1 limits LIKE patterns to 50 bytes. */
export function contains(column: SQLWrapper, text: string): SQL {
  return sql`instr(lower(${column}), lower(${text})) > 0`;
}

/** Like `inArray`, but with a single parameter: D1 limits a statement to 100. */
export function isOneOf(column: SQLWrapper, values: readonly string[]): SQL {
  return sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}
