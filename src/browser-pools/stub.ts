import type { BrowserPool } from "./object.ts";

export function poolObject(env: Env, poolId: string): DurableObjectStub<BrowserPool> {
  return env.BROWSER_POOL.getByName(poolId);
}
