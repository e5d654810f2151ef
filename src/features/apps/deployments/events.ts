import type { DeploymentRow } from "../../../lib/database/schema/apps.ts";
import type { JournalEntry } from "../event-journal.ts";
import type { DeploymentChange } from "./record.ts";
import { type DeploymentEvent, presentActions, presentDeployment, presentTime, REGION } from "./schema.ts";

export function toDeploymentEvent(
  row: DeploymentRow,
  entry: JournalEntry<DeploymentChange>,
): DeploymentEvent {
  const timestamp = presentTime(entry.at);
  if (entry.type === "heartbeat") return { event: "sse_heartbeat", timestamp };
  if (entry.type === "line") return { event: "log", message: entry.text, timestamp };
  const { event } = entry;
  if ("failure" in event) {
    return { event: "error", error: { code: "deployment_failed", message: event.failure }, timestamp };
  }
  if ("app" in event) {
    const { id, name, actions } = event.app;
    return {
      event: "app_version_summary",
      id,
      app_name: name,
      version: row.version,
      region: REGION,
      actions: presentActions(actions),
      timestamp,
    };
  }
  const deployment = { ...row, state: event.state, stateReason: event.reason, updatedAt: entry.at };
  return { event: "deployment_state", deployment: presentDeployment(deployment), timestamp };
}
