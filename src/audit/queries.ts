import { eq } from "drizzle-orm";
import { openDatabase } from "../database/client.ts";
import { isOneOf } from "../database/conditions.ts";
import { browserSessions } from "../database/schema/browser-sessions.ts";
import { organizations } from "../database/schema/organizations.ts";

/** Ids of the organizations, which are not deleted, of calls with the URL of a session, by session id. */
export async function findOrganizations(
  env: Env,
  calls: readonly { sessionId?: string }[],
): Promise<Map<string, string>> {
  const ids = [...new Set(calls.flatMap(({ sessionId }) => sessionId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await openDatabase(env.DB)
    .select({ sessionId: browserSessions.id, organizationId: organizations.id })
    .from(browserSessions)
    .innerJoin(organizations, eq(organizations.id, browserSessions.organizationId))
    .where(isOneOf(browserSessions.id, ids));
  return new Map(rows.map(({ sessionId, organizationId }) => [sessionId, organizationId]));
}
