import { forEachConcurrently } from "../../../lib/common/concurrency.ts";
import { serviceUnavailable } from "../../../lib/common/errors.ts";
import { logError } from "../../../lib/common/log.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import type { BrowserSessionRow } from "../../../lib/database/schema/browser-sessions.ts";
import { nextURLGeneration } from "../store.ts";
import { sessionObject } from "../stub.ts";

/**
 * Revokes the URLs of a living session, or of all sessions of an API key, and closes their connections. The
 * call may be repeated after a failure.
 *
 * @throws ServiceError 503 when a session does not respond.
 */
export async function revokeURLs(
  env: Env,
  organizationId: string,
  of: { sessionId: string } | { apiKeyId: string },
): Promise<BrowserSessionRow[]> {
  const rows = await nextURLGeneration(openDatabase(env.DB), organizationId, of);
  let failures = 0;
  await forEachConcurrently(
    rows,
    ({ id, urlGeneration }) => sessionObject(env, id).revokeURLs(urlGeneration),
    (error) => {
      failures += 1;
      logError("url_revocation_failed", error);
    },
  );
  if (failures > 0) throw serviceUnavailable("Not every URL could be revoked; try again");
  return rows;
}
