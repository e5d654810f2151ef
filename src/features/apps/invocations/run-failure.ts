import { logError } from "../../../lib/common/log.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import type { InvocationRow } from "../../../lib/database/schema/apps.ts";
import type { Thrown } from "../../../platform/dynamic-workers/index.ts";
import { bundleColumnLookup } from "../app-worker.ts";
import { readDeploymentFile } from "../deployments/files.ts";
import { toSourcePositions } from "../source-positions.ts";

const MAX_REASON_LENGTH = 4096;

/** With positions in the app's own files. */
interface RunFailure {
  reason: string;
  stack?: string;
}

export async function describeFailure(
  env: Env,
  row: Pick<InvocationRow, "organizationId" | "deploymentId">,
  { name, message, stack }: Thrown,
): Promise<RunFailure> {
  const text = message === "" ? name : name === "Error" ? message : `${name}: ${message}`;
  const locate = await readPositionMapper(env, row);
  const reason = locate(text.replace(/^Failed to start Worker:\n(Uncaught )?/, "")).trimEnd();
  return {
    reason: reason.length <= MAX_REASON_LENGTH ? reason : `${reason.slice(0, MAX_REASON_LENGTH)}…`,
    ...(stack === undefined ? {} : { stack: locate(stack) }),
  };
}

/** Falls back to positions in the bundle. */
async function readPositionMapper(
  env: Env,
  { organizationId, deploymentId }: Pick<InvocationRow, "organizationId" | "deploymentId">,
): Promise<(text: string) => string> {
  try {
    const [sourceMap, bundle] = await Promise.all([
      readDeploymentFile(env, organizationId, deploymentId, "sourceMap"),
      readDeploymentFile(env, organizationId, deploymentId, "bundle"),
    ]);
    const { loopGuardMs } = readSettings(env);
    const toBundleColumn = bundleColumnLookup({ bundle, loopGuardMs });
    return (text) => toSourcePositions(text, sourceMap, toBundleColumn);
  } catch (error) {
    logError("source_map_read_failed", error, { deployment_id: deploymentId });
    return (text) => text;
  }
}
