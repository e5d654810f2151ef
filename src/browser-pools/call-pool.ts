import { openDatabase } from "../database/client.ts";
import { notFound } from "../http/errors.ts";
import { isIdentifier } from "../http/identifiers.ts";
import { type Outcome, unwrap } from "../http/outcome.ts";
import type { PoolCaller } from "./browser-pool.ts";
import { findPool } from "./store.ts";

const NO_POOL = notFound("browser pool");

/**
 * Calls the object of the pool that a path names. By its id a pool is called without a look into the index, because its
 * object knows whose it is; a name costs one.
 *
 * @param call may be called a second time where a name has the form of an id.
 * @throws ServiceError 404 when the organization has no pool of that id or name, and what `call` is refused with.
 */
export async function callPool<T>(
  env: Env,
  { organizationId, idOrName }: { organizationId: string; idOrName: string },
  call: (caller: PoolCaller) => Promise<Outcome<T>>,
): Promise<T> {
  if (isIdentifier(idOrName)) {
    const outcome = await call({ poolId: idOrName, organizationId });
    if (outcome.ok || outcome.error.message !== NO_POOL.message) return unwrap(outcome);
  }
  const row = await findPool(openDatabase(env.DB), organizationId, idOrName);
  if (row === undefined || row.id === idOrName) throw NO_POOL;
  return unwrap(await call({ poolId: row.id, organizationId }));
}
