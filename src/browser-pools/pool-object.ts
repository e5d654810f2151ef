import type { BrowserPool } from "./browser-pool.ts";

/** The object of the pool with that id. Asking for one costs nothing until it is called. */
export function poolObject(env: Env, poolId: string): DurableObjectStub<BrowserPool> {
  return env.BROWSER_POOL.getByName(poolId);
}
