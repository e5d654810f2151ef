import type { BrowserPool } from "./browser-pool.ts";

export function poolObject(env: Env, poolId: string): DurableObjectStub<BrowserPool> {
  return env.BROWSER_POOL.getByName(poolId);
}
