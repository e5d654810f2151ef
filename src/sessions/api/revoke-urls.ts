import { eachConcurrently } from "../../common/concurrency.ts";
import { serviceUnavailable } from "../../common/errors.ts";
import { logError } from "../../common/log.ts";
import { openDatabase } from "../../database/client.ts";
import type { BrowserSessionRow } from "../../database/schema/browser-sessions.ts";
import { nextURLGeneration } from "../store.ts";
import { sessionObject } from "../stub.ts";

/** Sessions that are told at the same time. */
const CONCURRENCY = 6;

/**
 * Makes the URLs useless that were handed out so far for a living session, or for all that an API key created, and ends
 * the connections that were made with them. Doing it again finishes what has failed.
 *
 * @returns the sessions.
 * @throws ServiceError 503 when a session does not answer.
 */
export async function revokeURLs(
  env: Env,
  organizationId: string,
  of: { sessionId: string } | { apiKeyId: string },
): Promise<BrowserSessionRow[]> {
  const rows = await nextURLGeneration(openDatabase(env.DB), organizationId, of);
  let failures = 0;
  await eachConcurrently(
    rows,
    CONCURRENCY,
    ({ id, urlGeneration }) => sessionObject(env, id).revokeURLs(urlGeneration),
    (error) => {
      failures += 1;
      logError("urls_not_revoked", error);
    },
  );
  if (failures > 0) throw serviceUnavailable("Not every URL could be revoked; try again");
  return rows;
}
