import { and, eq, lt } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { idempotencyKeys } from "../database/schema/browser-sessions.ts";
import { badRequest, conflict } from "../http/errors.ts";

const LONGEST_KEY = 255;

/** A repeatable call: its key, and a hash of what it asks for. */
export interface RepeatableCall {
  organizationId: string;
  key: string;
  bodyHash: string;
}

/** @throws ServiceError 400 when an Idempotency-Key is given that is empty or too long. */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === "" || header.length > LONGEST_KEY) {
    throw badRequest({ field: "Idempotency-Key", message: `must have 1 to ${LONGEST_KEY} characters` });
  }
  return header;
}

/**
 * Claims a key for a new session, in one statement; an expired claim is taken over.
 *
 * @returns the id of the session that the key stands for: `sessionId` when the claim is new, else the earlier
 * call's.
 * @throws ServiceError 409 when the earlier call had another body.
 */
export async function claimIdempotencyKey(
  database: Database,
  { organizationId, key, bodyHash }: RepeatableCall,
  sessionId: string,
  times: { now: number; expiredBefore: number },
): Promise<string> {
  const claim = { bodyHash, sessionId, createdAt: times.now };
  const claimed = await database
    .insert(idempotencyKeys)
    .values({ organizationId, key, ...claim })
    .onConflictDoUpdate({
      target: [idempotencyKeys.organizationId, idempotencyKeys.key],
      set: claim,
      setWhere: lt(idempotencyKeys.createdAt, times.expiredBefore),
    })
    .returning({ sessionId: idempotencyKeys.sessionId });
  if (claimed.length > 0) return sessionId;
  const [earlier] = await database
    .select()
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.organizationId, organizationId), eq(idempotencyKeys.key, key)))
    .limit(1);
  if (earlier === undefined) {
    return claimIdempotencyKey(database, { organizationId, key, bodyHash }, sessionId, times);
  }
  if (earlier.bodyHash !== bodyHash) throw conflict("This Idempotency-Key was used with another body");
  return earlier.sessionId;
}

/** Frees a key that stands for a session which never came to be. */
export async function releaseIdempotencyKey(database: Database, sessionId: string): Promise<void> {
  await database.delete(idempotencyKeys).where(eq(idempotencyKeys.sessionId, sessionId));
}
