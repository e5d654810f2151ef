import { forEachConcurrently } from "../../../lib/common/concurrency.ts";
import { logError } from "../../../lib/common/log.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import { type InvocationReference, listUnfinishedOfDeployment, listUnfinishedOrphans } from "./store.ts";
import { invocationObject } from "./stub.ts";

/** Fails a deployment's unfinished invocations. Its apps must be unpublished first, or others may begin. */
export async function failInvocationsOfDeployment(
  env: Env,
  deploymentId: string,
  reason: string,
): Promise<void> {
  await failAll(env, await listUnfinishedOfDeployment(openDatabase(env.DB), deploymentId), reason);
}

/** Fails the unfinished invocations of disabled or deleted organizations. The sweep repeats what fails. */
export async function failOrphanedInvocations(env: Env): Promise<void> {
  const orphans = await listUnfinishedOrphans(openDatabase(env.DB));
  await failAll(env, orphans, "The organization was disabled or deleted");
}

function failAll(env: Env, references: InvocationReference[], reason: string): Promise<void> {
  const fail = async (reference: InvocationReference) => {
    const invocation = invocationObject(env, reference.id);
    // `fail` does nothing to an invocation that never reached its object; `reconcile` fails that.
    await invocation.reconcile(reference);
    await invocation.fail(reason);
  };
  return forEachConcurrently(references, fail, (error) => logError("invocation_not_failed", error));
}
