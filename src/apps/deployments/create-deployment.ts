import { openDatabase } from "../../database/client.ts";
import type { DeploymentRow } from "../../database/schema/apps.ts";
import { sha256 } from "../../hash.ts";
import { newIdentifier } from "../../http/identifiers.ts";
import { logError } from "../../log.ts";
import { deleteSource, deploymentFileKey } from "./deployment-files.ts";
import { readDeploymentForm } from "./deployment-form.ts";
import { deploymentObject } from "./deployment-object.ts";
import { sealEnvVars } from "./environment.ts";
import { insertDeployment } from "./store.ts";

/**
 * Takes a deployment in, and has it made.
 *
 * @throws ServiceError 400 that names the field, 413 for a zip that is too large.
 */
export async function createDeployment(
  env: Env,
  organizationId: string,
  request: Request,
): Promise<DeploymentRow> {
  const form = await readDeploymentForm(request);
  const id = newIdentifier();
  const now = Date.now();
  const row: DeploymentRow = {
    id,
    organizationId,
    state: "queued",
    stateReason: null,
    version: form.version,
    force: form.force,
    entrypoint: form.entrypoint,
    sourceChecksum: await sha256(form.zip),
    envNames: Object.keys(form.envVars),
    envVars: await sealEnvVars(env, id, form.envVars),
    createdAt: now,
    updatedAt: now,
  };
  // The file first: a row never names what is not there. From the row on, the sweep begins what nobody has begun.
  await env.FILES.put(deploymentFileKey(organizationId, id, "source"), form.zip);
  try {
    await insertDeployment(openDatabase(env.DB), row);
  } catch (error) {
    await deleteSource(env, row);
    throw error;
  }
  // Whoever is told of a failure deploys once more, and this one is made all the same.
  await deploymentObject(env, id)
    .begin(row)
    .catch((error: unknown) => logError("deployment_begin_failed", error, { deployment_id: id }));
  return row;
}
