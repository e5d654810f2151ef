import { eachConcurrently } from "../common/concurrency.ts";
import { logError } from "../common/log.ts";
import { openDatabase } from "../database/client.ts";
import { poolObject } from "./pool-object.ts";
import { listForsakenPools, listPoolsToKeep } from "./store.ts";

/** Pools that are looked after at the same time. */
const CONCURRENCY = 6;

/** Has every pool looked after that has not as many browsers as it is to have. */
export async function sweepPools(env: Env): Promise<void> {
  try {
    await keepPools(env, await listPoolsToKeep(openDatabase(env.DB)));
  } catch (error) {
    logError("sweep_step_failed", error);
  }
}

/** Ends the idle browsers of organizations that are disabled, and the pools of those that are deleted. */
export async function endOrphanedPools(env: Env): Promise<void> {
  await keepPools(env, await listForsakenPools(openDatabase(env.DB)));
}

/** What fails for one is left to the next sweep. */
function keepPools(env: Env, ids: string[]): Promise<void> {
  return eachConcurrently(
    ids,
    CONCURRENCY,
    (id) => poolObject(env, id).keep(id),
    (error) => logError("sweep_step_failed", error),
  );
}
