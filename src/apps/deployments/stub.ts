export function deploymentObject(env: Env, deploymentId: string) {
  return env.DEPLOYMENT.getByName(deploymentId);
}
