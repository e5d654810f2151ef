import { openDatabase } from "../database/client.ts";
import { notFound } from "../http/errors.ts";
import { isIdentifier } from "../http/identifiers.ts";
import { type Outcome, unwrap } from "../http/outcome.ts";
import { findSession } from "./store.ts";

/** Whose session a path names, and by what. */
export interface SessionReference {
  organizationId: string;
  idOrName: string;
}

/** What a session's object says of a session that there is not; what else is not found is of the session. */
const NO_SESSION = notFound("browser session");

/**
 * Calls the object of the session that a path names. By its id a session is called without a look into the index,
 * because its object knows whose it is; a name costs one.
 *
 * @param call is given the session's id, and may be called with a second one where a name has the form of an id.
 * @throws ServiceError 404 when the organization has no active session of that id or name, and what `call` is
 * refused with.
 */
export async function callSession<T>(
  env: Env,
  { organizationId, idOrName }: SessionReference,
  call: (sessionId: string) => Promise<Outcome<T>>,
): Promise<T> {
  if (isIdentifier(idOrName)) {
    const outcome = await call(idOrName);
    if (outcome.ok || outcome.error.message !== NO_SESSION.message) return unwrap(outcome);
  }
  const row = await findSession(openDatabase(env.DB), organizationId, idOrName, { includeEnded: false });
  if (row === undefined || row.id === idOrName) throw NO_SESSION;
  return unwrap(await call(row.id));
}
