import { openDatabase } from "../database/client.ts";
import { notFound } from "../http/errors.ts";
import { callByIdOrName } from "../http/id-or-name.ts";
import type { Outcome } from "../http/outcome.ts";
import { findSession } from "./store.ts";

/** Whose session a path names, and by what. */
export interface SessionReference {
  organizationId: string;
  idOrName: string;
}

/** What a session's object says of a session that there is not. */
const NO_SESSION = notFound("browser session");

/**
 * Calls the object of the session that a path names; see {@link callByIdOrName}.
 *
 * @throws ServiceError 404 when the organization has no active session of that id or name, and what `call` is
 * refused with.
 */
export function callSession<T>(
  env: Env,
  { organizationId, idOrName }: SessionReference,
  call: (sessionId: string) => Promise<Outcome<T>>,
): Promise<T> {
  const find = () => findSession(openDatabase(env.DB), organizationId, idOrName, { includeEnded: false });
  return callByIdOrName(idOrName, { unknown: NO_SESSION, call, findId: async () => (await find())?.id });
}
