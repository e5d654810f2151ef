import { openDatabase } from "../../database/client.ts";
import type { AppRow, InvocationRow } from "../../database/schema/apps.ts";
import { badRequest } from "../../http/errors.ts";
import { newIdentifier } from "../../http/identifiers.ts";
import { logError } from "../../log.ts";
import { findCurrentApp, listCurrentVersions } from "../deployments/store.ts";
import { invocationObject } from "./invocation-object.ts";
import type { CreateInvocationBody } from "./schema.ts";
import { insertQueuedInvocation } from "./store.ts";
import { deleteValues, storeValue } from "./values.ts";

/** How long a caller may be kept waiting. */
export const AWAITED_MS = 100_000;

export interface InvokeRequest {
  organizationId: string;
  body: CreateInvocationBody;
  /** Under which the caller, and hence the action, reaches this service. */
  origin: string;
}

/**
 * Invokes an action.
 *
 * @returns the invocation: accepted, where it is asynchronous, else finished.
 * @throws ServiceError 400 that names what of app, version and action there is not.
 */
export async function invokeAction(env: Env, { organizationId, body, origin }: InvokeRequest) {
  const database = openDatabase(env.DB);
  const { app_name: appName, version, action_name: actionName } = body;
  const found = await findCurrentApp(database, organizationId, appName, version);
  if (found === undefined) throw await refuseApp(env, organizationId, body);
  if (!found.app.actions.includes(actionName)) throw refuseAction(found.app, actionName);

  const id = newIdentifier();
  const row = await toQueuedRow(env, { id, organizationId, deploymentId: found.deployment.id, body });
  if (!(await insertQueuedInvocation(database, row, found.app.id))) {
    await deleteValues(env, { organizationId, invocationId: id });
    throw refuseVersion(appName, version, "has just been stopped or replaced");
  }
  try {
    return await invocationObject(env, id).start({
      row,
      envVars: found.deployment.envVars,
      origin,
      isAwaited: !body.async,
      timeoutMs: body.async ? body.async_timeout_seconds * 1000 : AWAITED_MS,
    });
  } catch (error) {
    logError("invocation_broken_off", error, { invocation_id: id, organization_id: organizationId });
    return findOut(env, row);
  }
}

/**
 * What became of an invocation whose object broke off: the one in its place knows. The caller is told in any case, and
 * never to try again, which would run the action twice.
 */
async function findOut(env: Env, row: InvocationRow): Promise<InvocationRow> {
  const { id, organizationId } = row;
  try {
    return (await invocationObject(env, id).reconcile({ id, organizationId })) ?? row;
  } catch (error) {
    logError("invocation_not_found_out", error, { invocation_id: id, organization_id: organizationId });
    return row;
  }
}

async function toQueuedRow(
  env: Env,
  invocation: { id: string; organizationId: string; deploymentId: string; body: CreateInvocationBody },
): Promise<InvocationRow> {
  const { id, organizationId, deploymentId, body } = invocation;
  const name = { organizationId, invocationId: id, kind: "payload" as const };
  const payload =
    body.payload === undefined ? { inRow: null, inFiles: false } : await storeValue(env, name, body.payload);
  return {
    id,
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
  };
}

async function refuseApp(env: Env, organizationId: string, body: CreateInvocationBody) {
  const versions = await listCurrentVersions(openDatabase(env.DB), organizationId, body.app_name);
  if (versions.length > 0) {
    return refuseVersion(body.app_name, body.version, `is not deployed; deployed: ${versions.join(", ")}`);
  }
  return badRequest({ field: "app_name", message: `no app of the name ${body.app_name} is deployed` });
}

function refuseVersion(appName: string, version: string, why: string) {
  return badRequest({ field: "version", message: `version ${version} of ${appName} ${why}` });
}

function refuseAction({ name, actions }: AppRow, actionName: string) {
  return badRequest({
    field: "action_name",
    message: `${name} has no action ${actionName}; it has: ${actions.join(", ")}`,
  });
}
