import type { ServiceError } from "../common/errors.ts";
import { isIdentifier } from "../common/identifiers.ts";
import { type Outcome, unwrap } from "../common/outcome.ts";

/**
 * Calls the object of a thing that a path names. By its id it is called without a look into the index, because the
 * object knows whose it is; a name costs one.
 *
 * @param options.unknown what the object answers when it is no such thing of the caller's; what else is refused is of
 * the call.
 * @param options.call is given the thing's id, and may be called with a second one where a name has the form of an id.
 * @param options.findId looks the thing up by its id or name.
 * @throws ServiceError what `unknown` is, and what `call` is refused with.
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
