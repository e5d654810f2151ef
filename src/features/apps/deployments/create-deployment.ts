import { ServiceError } from "../../../lib/common/errors.ts";
import { sha256 } from "../../../lib/common/hash.ts";
import { newIdentifier } from "../../../lib/common/identifiers.ts";
import { logError } from "../../../lib/common/log.ts";
import { regionOfRequest } from "../../../lib/common/regions.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import type { ProjectScope } from "../../../lib/database/project-scope.ts";
import type { DeploymentRow } from "../../../lib/database/schema/apps.ts";
import { withForm } from "../../../lib/http/multipart.ts";
import { encryptEnvVars } from "./env-vars.ts";
import { deleteSource, deploymentFileKey } from "./files.ts";
import { readDeploymentForm } from "./form.ts";
import { insertDeployment } from "./store.ts";
import { deploymentObject } from "./stub.ts";

const RETRY_AFTER_LIMIT_SECONDS = 10;

/** @throws ServiceError 400 that names the field, 413 for too large a zip, 429 at the deployment limit. */
export async function createDeployment(
  env: Env,
  { organizationId, projectId }: ProjectScope,
  request: Request,
): Promise<DeploymentRow> {
  const form = await withForm(request, readDeploymentForm);
  const id = newIdentifier();
  const now = Date.now();
  const row: DeploymentRow = {
    id,
    organizationId,
    projectId,
    state: "queued",
    stateReason: null,
    version: form.version,
    force: form.force,
    entrypoint: form.entrypoint,
    sourceChecksum: await sha256(form.zip),
    envNames: Object.keys(form.envVars),
    envVars: await encryptEnvVars(env, id, form.envVars),
    createdAt: now,
    updatedAt: now,
    sizeBytes: form.zip.length,
    grants: form.grants,
  };
  // The file comes first: the sweep deletes a file without a row, and builds a deployment that stalls.
  await env.FILES.put(deploymentFileKey(organizationId, id, "source"), form.zip);
  const { maxConcurrentDeployments, quotas } = readSettings(env);
  try {
    const isInserted = await insertDeployment(openDatabase(env.DB), row, maxConcurrentDeployments, quotas);
    if (!isInserted) throw limitReached();
  } catch (error) {
    // After any other error the row may exist.
    if (error instanceof ServiceError) await deleteSource(env, row);
    throw error;
  }
  // A caller that got an error would deploy again, although the sweep also builds this one.
  await deploymentObject(env, id, regionOfRequest(request))
    .begin(row)
    .catch((error: unknown) => logError("deployment_begin_failed", error, { deployment_id: id }));
  return row;
}

function limitReached(): ServiceError {
  return new ServiceError(
    "too_many_requests",
    "The organization has reached its limit of unfinished deployments (MAX_CONCURRENT_DEPLOYMENTS); wait, or stop one",
    { shouldRetry: false, retryAfterSeconds: RETRY_AFTER_LIMIT_SECONDS },
  );
}
