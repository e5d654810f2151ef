import { placedIn, type Region } from "../../../lib/common/regions.ts";

/** The Durable Object of a deployment. It starts with the first call, in the given region. */
export function deploymentObject(env: Env, deploymentId: string, region: Region | null = null) {
  return env.DEPLOYMENT.getByName(deploymentId, placedIn(region));
}
