import { readSettings } from "../../../lib/common/settings.ts";
import type { DynamicWorkerSource, RunLimits } from "../../../platform/dynamic-workers/index.ts";
import { appWorkerSource } from "../app-worker.ts";
import { decryptEnvVars } from "../deployments/env-vars.ts";
import { readDeploymentFile } from "../deployments/files.ts";
import type { InvocationRecord } from "./record.ts";
import { createRunKey } from "./run-key.ts";
import { MAX_VALUE_BYTES } from "./value-storage.ts";

export const RUN_LIMITS: RunLimits = { outputBytes: MAX_VALUE_BYTES, logBytes: 8 * 1024 * 1024 };

/** The platform's maximum. */
const CPU_LIMIT_MS = 300_000;

/** @param expiresAt milliseconds since the epoch. */
export async function actionSource(
  env: Env,
  { row, envVars, origin }: InvocationRecord,
  gateway: Fetcher,
  expiresAt: number,
): Promise<DynamicWorkerSource> {
  const { id: invocationId, organizationId, projectId, deploymentId } = row;
  const [bundle, variables, key] = await Promise.all([
    readDeploymentFile(env, organizationId, deploymentId, "bundle"),
    decryptEnvVars(env, { id: deploymentId, envVars }),
    createRunKey(env, { organizationId, projectId, invocationId, expiresAt }),
  ]);
  return appWorkerSource(env, {
    mainModule: "app-runner.js",
    bundle,
    env: { ...variables, KERNEL_API_KEY: key, KERNEL_BASE_URL: origin },
    outbound: gateway,
    cpuMs: CPU_LIMIT_MS,
    loopGuardMs: readSettings(env).loopGuardMs,
  });
}
