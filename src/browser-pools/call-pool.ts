import { notFound } from "../common/errors.ts";
import type { Outcome } from "../common/outcome.ts";
import { openDatabase } from "../database/client.ts";
import { callByIdOrName } from "../http/id-or-name.ts";
import type { PoolCaller } from "./browser-pool.ts";
import { findPool } from "./store.ts";

/** What a pool's object says of a pool that there is not. */
const NO_POOL = notFound("browser pool");

/**
 * Calls the object of the pool that a path names; see {@link callByIdOrName}.
 *
 * @throws ServiceError 404 when the organization has no pool of that id or name, and what `call` is refused with.
 */
export function callPool<T>(
  env: Env,
  { organizationId, idOrName }: { organizationId: string; idOrName: string },
  call: (caller: PoolCaller) => Promise<Outcome<T>>,
): Promise<T> {
  return callByIdOrName(idOrName, {
    unknown: NO_POOL,
    call: (poolId) => call({ poolId, organizationId }),
    findId: async () => (await findPool(openDatabase(env.DB), organizationId, idOrName))?.id,
  });
}
