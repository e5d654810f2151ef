import { DrizzleQueryError } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

export type Database = DrizzleD1Database;

export function openDatabase(binding: D1Database): Database {
  return drizzle(binding);
}

/** Drizzle wraps the errors of single queries. Errors of batches come as D1 throws them. */
export function isDatabaseError(error: Error): boolean {
  return error instanceof DrizzleQueryError || error.message.startsWith("D1_");
}
