import type { Deployment } from "./deployment.ts";

/** The object of the deployment with that id. Asking for one costs nothing until it is called. */
export function deploymentObject(env: Env, deploymentId: string): DurableObjectStub<Deployment> {
  return env.DEPLOYMENT.getByName(deploymentId);
}
