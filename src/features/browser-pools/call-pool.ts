import { notFound } from "../../lib/common/errors.ts";
import type { Outcome } from "../../lib/common/outcome.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import { callByIdOrName } from "../../lib/http/id-or-name.ts";
import type { PoolCaller } from "./object.ts";
import { findPool } from "./store.ts";

const POOL_NOT_FOUND = notFound("browser pool");

/** Calls the object of the pool that a path names; see {@link callByIdOrName}. @throws ServiceError 404 */
export function callPool<T>(
  env: Env,
  { organizationId, projectId }: ProjectScope,
  idOrName: string,
  call: (caller: PoolCaller) => Promise<Outcome<T>>,
): Promise<T> {
  return callByIdOrName(idOrName, {
    unknown: POOL_NOT_FOUND,
    call: (poolId) => call({ poolId, organizationId, projectId }),
    findId: async () => (await findPool(openDatabase(env.DB), { organizationId, projectId }, idOrName))?.id,
  });
}
