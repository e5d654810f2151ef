import { placedIn, type Region } from "../../../lib/common/regions.ts";

/** The Durable Object of an invocation. It starts with the first call, in the given region. */
export function invocationObject(env: Env, invocationId: string, region: Region | null = null) {
  return env.INVOCATION.getByName(invocationId, placedIn(region));
}
