import { sweepEach } from "../../lib/common/concurrency.ts";
import { logError } from "../../lib/common/log.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { listOrphanedPools, listPoolsToReconcile } from "./store.ts";
import { poolObject } from "./stub.ts";

/** Reconciles the pools whose number of browsers differs from their size. */
export async function sweepPools(env: Env): Promise<void> {
  try {
    await reconcilePools(env, await listPoolsToReconcile(openDatabase(env.DB)));
  } catch (error) {
    logError("sweep_step_failed", error);
  }
}

/** Ends the idle browsers of disabled organizations and the pools of deleted ones. */
export async function endOrphanedPools(env: Env): Promise<void> {
  await reconcilePools(env, await listOrphanedPools(openDatabase(env.DB)));
}

function reconcilePools(env: Env, ids: string[]): Promise<void> {
  return sweepEach(ids, (id) => poolObject(env, id).reconcile(id));
}
