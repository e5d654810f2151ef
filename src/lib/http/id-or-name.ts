import type { ServiceError } from "../common/errors.ts";
import { isIdentifier } from "../common/identifiers.ts";
import { type Outcome, unwrap } from "../common/outcome.ts";

/**
 * Calls the Durable Object that a path names by id or name. An id needs no database query, because the object
 * knows its owner. `call` may run twice: a name can look like an id.
 *
 * @throws ServiceError `unknown` if the object does not exist or is another organization's, or the refusal of
 * `call`.
 */
export async function callByIdOrName<T>(
  idOrName: string,
  options: {
    unknown: ServiceError;
    call: (id: string) => Promise<Outcome<T>>;
    findId: () => Promise<string | undefined>;
  },
): Promise<T> {
  const { unknown, call, findId } = options;
  if (isIdentifier(idOrName)) {
    const outcome = await call(idOrName);
    if (outcome.ok || outcome.error.message !== unknown.message) return unwrap(outcome);
  }
  const id = await findId();
  if (id === undefined || id === idOrName) throw unknown;
  return unwrap(await call(id));
}
