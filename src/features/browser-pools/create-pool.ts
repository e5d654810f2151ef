import { newIdentifier } from "../../lib/common/identifiers.ts";
import { logError } from "../../lib/common/log.ts";
import type { Region } from "../../lib/common/regions.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { BrowserPoolRow } from "../../lib/database/schema/browser-pools.ts";
import { requireRecordable, selectMachine, selectReferences } from "../sessions/index.ts";
import { toConfiguration } from "./configuration.ts";
import { toPoolError } from "./pool-error.ts";
import type { CreatePoolBody } from "./schema.ts";
import { insertPool } from "./store.ts";
import { poolObject } from "./stub.ts";

/**
 * @param near the region near the caller. @throws ServiceError 400 on `record` of headless browsers and on
 * `size` at the organization's limit, 409 for a name in use.
 */
export async function createPool(
  env: Env,
  { organizationId, projectId }: ProjectScope,
  body: CreatePoolBody,
  near: Region | null,
): Promise<BrowserPoolRow> {
  const database = openDatabase(env.DB);
  requireRecordable(body);
  const selected = await selectReferences(env, { organizationId, projectId, invocationId: null }, body);
  const row: BrowserPoolRow = {
    ...toConfiguration(body, selected, selectMachine(env, body.machine)),
    id: newIdentifier(),
    organizationId,
    projectId,
    createdAt: Date.now(),
    lastError: null,
    lastErrorAt: null,
  };
  const refusal = await insertPool(database, row, readSettings(env).maxPooledSessions);
  if (refusal !== undefined) throw toPoolError(refusal, body.name ?? "");
  await poolObject(env, row.id, row.region ?? near)
    .reconcile(row.id)
    // The sweep reconciles the pool later.
    .catch((error: unknown) => logError("pool_reconcile_failed", error, { pool_id: row.id }));
  return row;
}
