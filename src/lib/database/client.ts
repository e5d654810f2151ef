import { DrizzleQueryError } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

export type Database = DrizzleD1Database;

const databases = new WeakMap<D1Database, Database>();

/** Made once for each binding, so calling it again costs next to nothing. */
export function openDatabase(binding: D1Database): Database {
  const database = databases.get(binding) ?? drizzle(binding);
  databases.set(binding, database);
  return database;
}

/** Drizzle wraps the errors of single queries. Errors of batches come as D1 throws them. */
export function isDatabaseError(error: Error): boolean {
  return error instanceof DrizzleQueryError || error.message.startsWith("D1_");
}
