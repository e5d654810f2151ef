import { notFound } from "../../../lib/common/errors.ts";
import type { Outcome } from "../../../lib/common/outcome.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import { callByIdOrName } from "../../../lib/http/id-or-name.ts";
import type { CallerReach } from "../../organizations/index.ts";
import { missingSession } from "../missing-session.ts";
import { findSession } from "../queries.ts";

export interface SessionReference {
  caller: CallerReach;
  idOrName: string;
}

const SESSION_NOT_FOUND = notFound("browser session");

/**
 * Calls the object of the session that a path names; see {@link callByIdOrName}. @throws ServiceError 404
 *
 * @example
 * await callSession(env, { caller, idOrName }, (id) => sessionObject(env, id).requireLiveView(caller));
 */
export async function callSession<T>(
  env: Env,
  { caller, idOrName }: SessionReference,
  call: (sessionId: string) => Promise<Outcome<T>>,
): Promise<T> {
  const find = () => findSession(openDatabase(env.DB), caller, idOrName, { includeEnded: false });
  try {
    return await callByIdOrName(idOrName, {
      unknown: SESSION_NOT_FOUND,
      call,
      findId: async () => (await find())?.id,
    });
  } catch (error) {
    throw error === SESSION_NOT_FOUND ? await missingSession(env, caller, idOrName) : error;
  }
}
