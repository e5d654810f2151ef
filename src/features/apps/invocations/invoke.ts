import { pause } from "../../../lib/common/concurrency.ts";
import { badRequest, ServiceError } from "../../../lib/common/errors.ts";
import { newIdentifier } from "../../../lib/common/identifiers.ts";
import { logError } from "../../../lib/common/log.ts";
import type { Region } from "../../../lib/common/regions.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import { Spacer } from "../../../lib/common/spacing.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import type { ProjectScope } from "../../../lib/database/project-scope.ts";
import type { AppRow, DeploymentRow, InvocationRow } from "../../../lib/database/schema/apps.ts";
import { explainRefusal } from "../../organizations/index.ts";
import { findCurrentApp, listCurrentVersions } from "../deployments/store.ts";
import { overrunPauses } from "./overrun-pauses.ts";
import type { CreateInvocationBody } from "./schema.ts";
import { countUnfinished, insertQueuedInvocation, invocationChecks } from "./store.ts";
import { invocationObject } from "./stub.ts";
import { deleteValues, type StoredValue, storeValue } from "./value-storage.ts";

export const SYNC_TIMEOUT_MS = 100_000;

interface InvokeRequest {
  caller: ProjectScope;
  /** Null for the key of a run. */
  apiKeyId: string | null;
  body: CreateInvocationBody;
  origin: string;
  /** The region near the caller. */
  near: Region | null;
}

/** An app that is replaced during the first attempt is found in the second. */
const MAX_ATTEMPTS = 2;

const RETRY_AFTER_LIMIT_SECONDS = 10;

/** Those that would fail at once, by organization. */
const pausedInvocations = new Spacer({ intervalMs: 250, freeMs: 500, maxDelayMs: 5000 });

/** Waits unless asynchronous. @throws ServiceError 400: unknown app or action; 402: budget; 429: limit. */
export async function invokeAction(env: Env, request: InvokeRequest): Promise<InvocationRow> {
  const { caller, body, origin, near } = request;
  const { row, deployment } = await queueInvocation(env, request);
  const { id } = row;
  const start = () =>
    invocationObject(env, id, near).start({
      row,
      envVars: deployment.envVars,
      origin,
      isAwaited: !body.async,
      timeoutMs: body.async ? body.async_timeout_seconds * 1000 : SYNC_TIMEOUT_MS,
    });
  const logFailure = (error: unknown) =>
    logError("invocation_start_failed", error, { invocation_id: id, organization_id: caller.organizationId });
  try {
    return await start().catch((error) => {
      // The object was lost on the way. A second start never runs the action twice.
      logFailure(error);
      return start();
    });
  } catch (error) {
    logFailure(error);
    return (await invocationObject(env, id).reconcile(row)) ?? row;
  }
}

async function queueInvocation(env: Env, request: InvokeRequest) {
  const { caller, apiKeyId, body } = request;
  const { organizationId } = caller;
  const database = openDatabase(env.DB);
  const limit = readSettings(env).maxConcurrentInvocations;
  const id = newIdentifier();
  const invocation = { organizationId, invocationId: id };
  let target = await requireAction(env, caller, body);
  await waitWhilePaused(caller, target.deployment);
  const payload = await storeValue(env, { ...invocation, kind: "payload" }, body.payload);
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { app, deployment } = target;
      const row = toQueuedRow(request, { id, deploymentId: deployment.id, payload });
      if (await insertQueuedInvocation(database, row, { appId: app.id, limit, apiKeyId }))
        return { row, deployment };
      target = await requireAction(env, caller, body);
    }
    await explainRefusal(database, invocationChecks(caller));
    if ((await countUnfinished(database, organizationId)) >= limit) throw limitReached();
    throw versionError(body.app_name, body.version, "has just been stopped or replaced");
  } catch (error) {
    // After any other error the row may exist. The sweep deletes values without a row.
    if (error instanceof ServiceError) await deleteValues(env, invocation);
    throw error;
  }
}

/** Callers that invoke paused code again and again would take the time of other organizations. */
async function waitWhilePaused({ organizationId }: ProjectScope, { id }: DeploymentRow): Promise<void> {
  const now = Date.now();
  if (overrunPauses.remainingMs(id, now) === 0) return;
  const delayMs = pausedInvocations.add(organizationId, now);
  if (delayMs > 0) await pause(delayMs);
}

/** @throws ServiceError 400 that names what is not deployed. */
async function requireAction(env: Env, scope: ProjectScope, body: CreateInvocationBody) {
  const target = await findCurrentApp(openDatabase(env.DB), scope, body.app_name, body.version);
  if (target === undefined) throw await unknownApp(env, scope, body);
  if (!target.app.actions.includes(body.action_name)) throw unknownAction(target.app, body.action_name);
  return target;
}

function toQueuedRow(
  { caller, body }: InvokeRequest,
  { id, deploymentId, payload }: { id: string; deploymentId: string; payload: StoredValue },
): InvocationRow {
  const { profiles, proxies } = body;
  return {
    id,
    organizationId: caller.organizationId,
    projectId: caller.projectId,
    deploymentId,
    appName: body.app_name,
    version: body.version,
    actionName: body.action_name,
    status: "queued",
    statusReason: null,
    payload: payload.inRow,
    payloadInFiles: payload.inFiles,
    output: null,
    outputInFiles: false,
    startedAt: Date.now(),
    finishedAt: null,
    logsKept: true,
    grants: profiles.length + proxies.length === 0 ? null : { profiles, proxies },
  };
}

function limitReached(): ServiceError {
  return new ServiceError(
    "too_many_requests",
    "The organization has reached its limit of unfinished invocations (MAX_CONCURRENT_INVOCATIONS); wait, or cancel one",
    { shouldRetry: false, retryAfterSeconds: RETRY_AFTER_LIMIT_SECONDS },
  );
}

async function unknownApp(env: Env, scope: ProjectScope, body: CreateInvocationBody) {
  const versions = await listCurrentVersions(openDatabase(env.DB), scope, body.app_name);
  if (versions.length > 0) {
    return versionError(body.app_name, body.version, `is not deployed; deployed: ${versions.join(", ")}`);
  }
  return badRequest({ field: "app_name", message: `no app named ${body.app_name} is deployed` });
}

function versionError(appName: string, version: string, why: string) {
  return badRequest({ field: "version", message: `version ${version} of ${appName} ${why}` });
}

function unknownAction({ name, actions }: AppRow, actionName: string) {
  return badRequest({
    field: "action_name",
    message: `${name} has no action ${actionName}; it has: ${actions.join(", ")}`,
  });
}
