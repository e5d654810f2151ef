import { placedIn, type Region } from "../../lib/common/regions.ts";

/** The Durable Object of a pool. It starts with the first call, in the given region. */
export function poolObject(env: Env, poolId: string, region: Region | null = null) {
  return env.BROWSER_POOL.getByName(poolId, placedIn(region));
}
