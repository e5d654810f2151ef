import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

export type Database = DrizzleD1Database;

/** The D1 database through Drizzle. Costs nothing: no connection is made. */
export function openDatabase(binding: D1Database): Database {
  return drizzle(binding);
}
