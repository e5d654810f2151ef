import type { InvocationRow } from "../../../lib/database/schema/apps.ts";
import type { Background } from "../../../lib/objects/background.ts";
import { emitEvent } from "../../webhooks/index.ts";
import type { InvocationResult } from "./store.ts";

export function emitInvocationFinished(
  background: Background,
  { id, organizationId, appName, version, actionName, deploymentId, startedAt }: InvocationRow,
  { status, statusReason, finishedAt }: InvocationResult,
): void {
  emitEvent(background, organizationId, "invocation.finished", {
    invocation_id: id,
    app_name: appName,
    version,
    action_name: actionName,
    deployment_id: deploymentId,
    status,
    status_reason: statusReason,
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(finishedAt).toISOString(),
  });
}
