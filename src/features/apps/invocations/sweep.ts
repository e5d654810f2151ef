import { sweepEach, sweepInSteps } from "../../../lib/common/concurrency.ts";
import { removeOrphanedObjects } from "../../../lib/common/orphaned-objects.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import { listKnownIds } from "../../../lib/database/known-ids.ts";
import { invocations } from "../../../lib/database/schema/apps.ts";
import { failOrphanedInvocations } from "./fail-invocations.ts";
import {
  listFinishedOrphans,
  listUnfinishedBefore,
  listWithLogsBefore,
  markLogsDeleted,
  removeInvocations,
} from "./store.ts";
import { invocationObject } from "./stub.ts";
import { deleteValues, invocationOfKey, VALUES_PREFIX } from "./value-storage.ts";

/** Younger invocations may still be starting or settling. */
const GRACE_MS = 120_000;

const DEFAULT_LIMITS = { unfinished: 100, logs: 300, orphans: 100 };

type SweepLimits = typeof DEFAULT_LIMITS;

/**
 * Finishes invocations after a crash, and deletes old logs, orphaned invocations and values without a row.
 *
 * @example
 * await sweepInvocations(env, controller.scheduledTime);
 */
export async function sweepInvocations(env: Env, now: number, limits = DEFAULT_LIMITS): Promise<void> {
  await sweepInSteps([
    () => failOrphanedInvocations(env),
    () => reconcile(env, now - GRACE_MS, limits),
    () => deleteLogs(env, now - Math.max(GRACE_MS, readSettings(env).apps.logRetentionMs), limits),
    () => removeOrphans(env, limits),
    () =>
      removeOrphanedObjects(env.FILES, {
        prefix: VALUES_PREFIX,
        minute: 50,
        ownerOf: invocationOfKey,
        findKnown: (ids) => listKnownIds(openDatabase(env.DB), invocations, ids),
        now,
      }),
  ]);
}

async function reconcile(env: Env, startedBefore: number, limits: SweepLimits): Promise<void> {
  const unfinished = await listUnfinishedBefore(openDatabase(env.DB), startedBefore, limits.unfinished);
  await sweepEach(unfinished, (invocation) => invocationObject(env, invocation.id).reconcile(invocation));
}

async function deleteLogs(env: Env, finishedBefore: number, limits: SweepLimits): Promise<void> {
  const database = openDatabase(env.DB);
  const deleted: string[] = [];
  await sweepEach(await listWithLogsBefore(database, finishedBefore, limits.logs), async ({ id }) => {
    await invocationObject(env, id).deleteLogs();
    deleted.push(id);
  });
  await markLogsDeleted(database, deleted);
}

async function removeOrphans(env: Env, limits: SweepLimits): Promise<void> {
  const database = openDatabase(env.DB);
  const removed: string[] = [];
  await sweepEach(
    await listFinishedOrphans(database, limits.orphans),
    async ({ id, organizationId, logsKept }) => {
      if (logsKept) await invocationObject(env, id).deleteLogs();
      await deleteValues(env, { organizationId, invocationId: id });
      removed.push(id);
    },
  );
  await removeInvocations(database, removed);
}
