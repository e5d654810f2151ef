import { eachConcurrently } from "../../common/concurrency.ts";
import { logError } from "../../common/log.ts";
import { openDatabase } from "../../database/client.ts";
import type { Invocation } from "./object.ts";
import { type InvocationReference, listUnfinishedOfDeployment, listUnfinishedOrphans } from "./store.ts";

/** Invocations that are ended at the same time. */
const CONCURRENCY = 6;

/** The object of the invocation with that id. Asking for one costs nothing until it is called. */
export function invocationObject(env: Env, invocationId: string): DurableObjectStub<Invocation> {
  return env.INVOCATION.getByName(invocationId);
}

/** Fails what a deployment has under way. Of one that is stopped already, nothing begins afterwards. */
export async function failInvocationsOfDeployment(
  env: Env,
  deploymentId: string,
  reason: string,
): Promise<void> {
  await failAll(env, await listUnfinishedOfDeployment(openDatabase(env.DB), deploymentId), reason);
}

/** Fails the invocations of organizations that are disabled or deleted. */
export async function failOrphanedInvocations(env: Env): Promise<void> {
  const forsaken = await listUnfinishedOrphans(openDatabase(env.DB));
  await failAll(env, forsaken, "The organization was disabled or deleted");
}

/** What fails for one is left to the sweep. */
function failAll(env: Env, references: InvocationReference[], reason: string): Promise<void> {
  return eachConcurrently(
    references,
    CONCURRENCY,
    async (reference) => {
      const invocation = invocationObject(env, reference.id);
      // One whose object was never told of it is taken over first, which fails it.
      await invocation.reconcile(reference);
      await invocation.fail(reason);
    },
    (error) => logError("invocation_not_failed", error),
  );
}
