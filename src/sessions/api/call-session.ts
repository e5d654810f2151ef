import { notFound } from "../../common/errors.ts";
import type { Outcome } from "../../common/outcome.ts";
import { openDatabase } from "../../database/client.ts";
import { callByIdOrName } from "../../http/id-or-name.ts";
import type { CallerReach } from "../../organizations/index.ts";
import { findSession } from "../queries.ts";

/** The session that a path names, and who calls for it. */
export interface SessionReference {
  caller: CallerReach;
  idOrName: string;
}

/** What a session's object says of a session that there is not. */
const NO_SESSION = notFound("browser session");

/**
 * Calls the object of the session that a path names; see {@link callByIdOrName}.
 *
 * @throws ServiceError 404 when no active session within the caller's reach has that id or name, and what `call`
 * is refused with.
 */
export function callSession<T>(
  env: Env,
  { caller, idOrName }: SessionReference,
  call: (sessionId: string) => Promise<Outcome<T>>,
): Promise<T> {
  const find = () => findSession(openDatabase(env.DB), caller, idOrName, { includeEnded: false });
  return callByIdOrName(idOrName, { unknown: NO_SESSION, call, findId: async () => (await find())?.id });
}
