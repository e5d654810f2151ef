/** The object of the deployment with that id. Asking for one costs nothing until it is called. */
export function deploymentObject(env: Env, deploymentId: string) {
  return env.DEPLOYMENT.getByName(deploymentId);
}
