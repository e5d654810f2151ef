import type { AppRow, DeploymentRow, DeploymentState } from "../../database/schema/apps.ts";

/** What a deployment's object keeps of it. */
export interface DeploymentRecord {
  /** As the database is to have it. */
  row: DeploymentRow;
  /** How often its app was begun to be made. */
  attempts: number;
  /** What it comes to, before the database knows; absent: that is not known. */
  outcome?: { apps: AppRow[] } | { failure: string };
  /** Why it is to stop; absent: it is not. */
  stopReason?: string;
  /** Whether a call has deleted it: it then leaves the lists of its apps' names. */
  deleted?: boolean;
}

/** What a deployment's journal tells besides lines. */
export type DeploymentChange =
  | { state: DeploymentState; reason: string | null }
  | { app: Pick<AppRow, "id" | "name" | "actions"> }
  | { failure: string };

/** Whether nothing happens to a deployment any more. */
export function isOver(state: DeploymentState): boolean {
  return state === "failed" || state === "stopped";
}
