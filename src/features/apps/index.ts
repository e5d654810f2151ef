export { createDeployment } from "./deployments/create-deployment.ts";
export { Deployment } from "./deployments/object.ts";
export { PackageGateway } from "./deployments/package-gateway.ts";
export * from "./deployments/schema.ts";
export {
  failedDeploymentsByHour,
  findDeployment,
  listCurrentApps,
  listDeployments,
} from "./deployments/store.ts";
export { deploymentObject } from "./deployments/stub.ts";
export { sweepDeployments } from "./deployments/sweep.ts";
export { AppGateway } from "./invocations/app-gateway.ts";
export { failOrphanedInvocations } from "./invocations/fail-invocations.ts";
export { readInvocation, streamInvocations } from "./invocations/invocation-json.ts";
export { invokeAction, SYNC_TIMEOUT_MS } from "./invocations/invoke.ts";
export { Invocation } from "./invocations/object.ts";
export { runKeys } from "./invocations/run-key.ts";
export * from "./invocations/schema.ts";
export { countRecentInvocations, listInvocations, requireInvocation } from "./invocations/store.ts";
export { invocationObject } from "./invocations/stub.ts";
export { sweepInvocations } from "./invocations/sweep.ts";
export { readValue } from "./invocations/value-storage.ts";
