import type { AppRow, DeploymentRow, DeploymentState } from "../../../lib/database/schema/apps.ts";

/** What a deployment's object stores. */
export interface DeploymentRecord {
  row: DeploymentRow;
  attempts: number;
  /** Set before the database is updated. */
  outcome?: { apps: AppRow[] } | { failure: string };
  stopReason?: string;
  /** Deleted by a call, which also removes its apps from lists. */
  deleted?: boolean;
}

export type DeploymentChange =
  | { state: DeploymentState; reason: string | null }
  | { app: Pick<AppRow, "id" | "name" | "actions"> }
  | { failure: string };

export function isOver(state: DeploymentState): boolean {
  return state === "failed" || state === "stopped";
}
