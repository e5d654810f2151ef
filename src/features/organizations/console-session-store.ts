import { and, desc, eq, gt, lt } from "drizzle-orm";
import type { Database } from "../../lib/database/client.ts";
import { type ConsoleSessionRow, consoleSessions } from "../../lib/database/schema/organizations.ts";
import type { SignInLink } from "./sign-in-link.ts";

/** How many sign-ins a list contains at most. */
const MAX_LISTED = 100;

/** Also deletes expired ones, so that no sweep has to. */
export async function insertConsoleSession(database: Database, row: ConsoleSessionRow): Promise<void> {
  await database.batch([
    database.delete(consoleSessions).where(lt(consoleSessions.expiresAt, row.createdAt)),
    database.insert(consoleSessions).values(row),
  ]);
}

/**
 * Marks a sign-in link as used, by a row that is no sign-in of any key.
 *
 * @returns whether it was unused.
 */
export async function redeemSignInLink(database: Database, { id, expiresAt }: SignInLink): Promise<boolean> {
  const row = { id: `link-${id}`, keyId: "link", userAgent: "", createdAt: Date.now(), expiresAt };
  const { meta } = await database.insert(consoleSessions).values(row).onConflictDoNothing();
  return meta.changes > 0;
}

export async function hasConsoleSession(database: Database, id: string): Promise<boolean> {
  const query = database.select({ id: consoleSessions.id }).from(consoleSessions);
  return (await query.where(eq(consoleSessions.id, id)).get()) !== undefined;
}

/** Lists the newest first. @param keyId of the API key, or `operator`. */
export function listConsoleSessions(database: Database, keyId: string, now: number) {
  return database
    .select()
    .from(consoleSessions)
    .where(and(eq(consoleSessions.keyId, keyId), gt(consoleSessions.expiresAt, now)))
    .orderBy(desc(consoleSessions.createdAt))
    .limit(MAX_LISTED);
}

/** @param id absent: all sign-ins with the key. @returns whether there was one. */
export async function deleteConsoleSessions(
  database: Database,
  keyId: string,
  id?: string,
): Promise<boolean> {
  const ofKey = eq(consoleSessions.keyId, keyId);
  const { meta } = await database
    .delete(consoleSessions)
    .where(id === undefined ? ofKey : and(ofKey, eq(consoleSessions.id, id)));
  return meta.changes > 0;
}
