import type { BrowserSessionRow } from "../database/schema/browser-sessions.ts";

export type EndReason = NonNullable<BrowserSessionRow["endReason"]>;

/** What each `end_reason` means. */
export const END_REASONS: Record<EndReason, string> = {
  deleted: "deleted by a call",
  inactivity: "nobody used it for timeout_seconds",
  lifetime: "it reached the service's longest session time",
  browser_lost: "its browser crashed, was closed, or was taken by the platform",
  organization_ended: "its organization was disabled or deleted",
};
