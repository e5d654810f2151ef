import { DrizzleQueryError } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

export type Database = DrizzleD1Database;

/** The D1 database through Drizzle. Costs nothing: no connection is made. */
export function openDatabase(binding: D1Database): Database {
  return drizzle(binding);
}

/** Whether a query failed. Drizzle wraps the errors of single queries; those of batches come as D1 throws them. */
export function isDatabaseError(error: Error): boolean {
  return error instanceof DrizzleQueryError || error.message.startsWith("D1_");
}
