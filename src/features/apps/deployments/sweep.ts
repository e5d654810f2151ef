import { sweepEach, sweepInSteps } from "../../../lib/common/concurrency.ts";
import { removeOrphanedObjects } from "../../../lib/common/orphaned-objects.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import { listKnownIds } from "../../../lib/database/known-ids.ts";
import { deployments } from "../../../lib/database/schema/apps.ts";
import { DEPLOYMENTS_PREFIX, deleteDeploymentFiles, deploymentOfKey } from "./files.ts";
import { listOrphanedDeployments, listStalledDeployments, removeDeployment } from "./store.ts";
import { deploymentObject } from "./stub.ts";

const MAX_ROWS = 50;

/** As for sessions and invocations. A build that still runs is not interrupted. */
const STALL_TIMEOUT_MS = 120_000;

/**
 * Continues stalled deployments, and removes orphaned ones and zips without a row.
 *
 * @example
 * await sweepDeployments(env, controller.scheduledTime);
 */
export async function sweepDeployments(env: Env, now: number): Promise<void> {
  await sweepInSteps([
    () => restartStalled(env, now - STALL_TIMEOUT_MS),
    () => removeOrphans(env),
    () =>
      removeOrphanedObjects(env.FILES, {
        prefix: DEPLOYMENTS_PREFIX,
        minute: 40,
        ownerOf: deploymentOfKey,
        findKnown: (ids) => listKnownIds(openDatabase(env.DB), deployments, ids),
        now,
      }),
  ]);
}

async function restartStalled(env: Env, before: number): Promise<void> {
  const stalled = await listStalledDeployments(openDatabase(env.DB), before, MAX_ROWS);
  await sweepEach(stalled, (row) => deploymentObject(env, row.id).begin(row));
}

/** The row goes last, so that the next sweep finds what is left. */
async function removeOrphans(env: Env): Promise<void> {
  const database = openDatabase(env.DB);
  await sweepEach(await listOrphanedDeployments(database, MAX_ROWS), async (deployment) => {
    await deploymentObject(env, deployment.id).remove();
    await deleteDeploymentFiles(env, deployment);
    await removeDeployment(database, deployment.id);
  });
}
