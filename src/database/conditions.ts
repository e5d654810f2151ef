import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Whether a column holds a text, in either case. Not by LIKE, whose patterns D1 limits to 50 bytes. */
export function contains(column: SQLWrapper, text: string): SQL {
  return sql`instr(lower(${column}), lower(${text})) > 0`;
}

/** Whether a column has one of these values. They are one parameter: of those a statement takes no more than 100. */
export function isOneOf(column: SQLWrapper, values: readonly string[]): SQL {
  return sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}
