import { badRequest, ServiceError } from "../../common/errors.ts";
import { newIdentifier } from "../../common/identifiers.ts";
import { logError } from "../../common/log.ts";
import { readSettings } from "../../common/settings.ts";
import { openDatabase } from "../../database/client.ts";
import type { AppRow, InvocationRow } from "../../database/schema/apps.ts";
import { findCurrentApp, listCurrentVersions } from "../deployments/store.ts";
import type { CreateInvocationBody } from "./schema.ts";
import { countUnfinished, insertQueuedInvocation } from "./store.ts";
import { invocationObject } from "./stub.ts";
import { deleteValues, type StoredValue, storeValue } from "./values.ts";

/** How long a caller may be kept waiting. */
export const SYNC_TIMEOUT_MS = 100_000;

export interface InvokeRequest {
  organizationId: string;
  body: CreateInvocationBody;
  /** Under which the caller, and hence the action, reaches this service. */
  origin: string;
}

/** An app that is replaced while it is looked up has another in its place by then. */
const MAX_ATTEMPTS = 2;

const RETRY_AFTER_LIMIT_SECONDS = 10;

/**
 * Invokes an action.
 *
 * @returns the invocation: accepted, where it is asynchronous, else finished.
 * @throws ServiceError 400 that names what of app, version and action there is not; 429 at the limit of invocations.
 */
export async function invokeAction(env: Env, request: InvokeRequest): Promise<InvocationRow> {
  const { organizationId, body, origin } = request;
  const { row, deployment } = await queueInvocation(env, request);
  const { id } = row;
  const begin = () =>
    invocationObject(env, id).start({
      row,
      envVars: deployment.envVars,
      origin,
      isAwaited: !body.async,
      timeoutMs: body.async ? body.async_timeout_seconds * 1000 : SYNC_TIMEOUT_MS,
    });
  const tell = (error: unknown) =>
    logError("invocation_start_failed", error, { invocation_id: id, organization_id: organizationId });
  try {
    return await begin().catch((error) => {
      // The object, or the way there, broke off. The one in its place knows whether it had begun: nothing runs twice.
      tell(error);
      return begin();
    });
  } catch (error) {
    tell(error);
    return (await invocationObject(env, id).reconcile(row)) ?? row;
  }
}

/** Enters an invocation in the index, from where on it takes a place. */
async function queueInvocation(env: Env, { organizationId, body }: InvokeRequest) {
  const database = openDatabase(env.DB);
  const limit = readSettings(env).maxConcurrentInvocations;
  const invocation = { organizationId, invocationId: newIdentifier() };
  let found = await requireAction(env, organizationId, body);
  const payload = await storePayload(env, invocation, body.payload);
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { app, deployment } = found;
      const row = toQueuedRow({ ...invocation, deploymentId: deployment.id, body, payload });
      if (await insertQueuedInvocation(database, row, { appId: app.id, limit })) return { row, deployment };
      found = await requireAction(env, organizationId, body);
    }
    if ((await countUnfinished(database, organizationId)) >= limit) throw limitReached();
    throw versionError(body.app_name, body.version, "has just been stopped or replaced");
  } catch (error) {
    // Whatever else has failed may have written the row all the same. The sweep removes what has none.
    if (error instanceof ServiceError) await deleteValues(env, invocation);
    throw error;
  }
}

/** @throws ServiceError 400 that names what of app, version and action there is not. */
async function requireAction(env: Env, organizationId: string, body: CreateInvocationBody) {
  const found = await findCurrentApp(openDatabase(env.DB), organizationId, body.app_name, body.version);
  if (found === undefined) throw await unknownApp(env, organizationId, body);
  if (!found.app.actions.includes(body.action_name)) throw unknownAction(found.app, body.action_name);
  return found;
}

function storePayload(
  env: Env,
  invocation: { organizationId: string; invocationId: string },
  payload: string | undefined,
): Promise<StoredValue> {
  if (payload === undefined) return Promise.resolve({ inRow: null, inFiles: false });
  return storeValue(env, { ...invocation, kind: "payload" }, payload);
}

function toQueuedRow({
  organizationId,
  invocationId,
  deploymentId,
  body,
  payload,
}: {
  organizationId: string;
  invocationId: string;
  deploymentId: string;
  body: CreateInvocationBody;
  payload: StoredValue;
}): InvocationRow {
  return {
    id: invocationId,
    organizationId,
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
    grants:
      body.profiles.length + body.proxies.length === 0
        ? null
        : { profiles: body.profiles, proxies: body.proxies },
  };
}

function limitReached(): ServiceError {
  return new ServiceError(
    "too_many_requests",
    "The organization has reached its limit of invocations under way (MAX_CONCURRENT_INVOCATIONS); cancel one, or wait",
    { shouldRetry: false, retryAfterSeconds: RETRY_AFTER_LIMIT_SECONDS },
  );
}

async function unknownApp(env: Env, organizationId: string, body: CreateInvocationBody) {
  const versions = await listCurrentVersions(openDatabase(env.DB), organizationId, body.app_name);
  if (versions.length > 0) {
    return versionError(body.app_name, body.version, `is not deployed; deployed: ${versions.join(", ")}`);
  }
  return badRequest({ field: "app_name", message: `no app of the name ${body.app_name} is deployed` });
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
