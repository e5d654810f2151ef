import type { END_REASONS } from "../database/schema/browser-sessions.ts";

export type EndReason = (typeof END_REASONS)[number];

export const END_REASON_MEANINGS: Record<EndReason, string> = {
  deleted: "deleted by a call",
  inactivity: "nobody used it for timeout_seconds",
  lifetime: "it reached the service's longest session time",
  browser_lost: "its browser crashed, was closed, or was taken by the platform",
  organization_ended: "its organization was disabled or deleted",
  released: "it was released to its pool, not to be used again",
  pool_deleted: "its pool was deleted",
  discarded: "its pool had no more use for it",
  invocation_ended: "the invocation that it belonged to ended",
};
