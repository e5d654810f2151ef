import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Whether a column holds a text, in either case. Not by LIKE, whose patterns D1 limits to 50 bytes. */
export function contains(column: SQLWrapper, text: string): SQL {
  return sql`instr(lower(${column}), lower(${text})) > 0`;
}
