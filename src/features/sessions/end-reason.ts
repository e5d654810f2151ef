import type { BrowserSessionRow, END_REASONS } from "../../lib/database/schema/browser-sessions.ts";

/** Recorded instead of the id of an API key. */
export const OPERATOR = "operator";

export type EndReason = (typeof END_REASONS)[number];

export const END_REASON_MEANINGS: Record<EndReason, string> = {
  deleted: "deleted by a call",
  inactivity: "nobody used it for timeout_seconds",
  lifetime: "it reached its maximum lifetime",
  browser_lost: "its browser crashed, was closed, or was reclaimed by the platform",
  organization_ended: "its organization was disabled or deleted",
  released: "it was released to its pool, not to be used again",
  pool_deleted: "its pool was deleted",
  discarded: "its pool no longer needed it",
  invocation_ended: "the invocation that it belonged to ended",
  connection_closed: "the connection that it was created for closed",
};

/**
 * Says why a session ended, and what went wrong.
 *
 * @param keyName name of the API key that ended it.
 * @returns undefined while the session has not ended.
 */
export function describeEnd(row: BrowserSessionRow, keyName: string | undefined): string | undefined {
  if (row.endReason === null) return undefined;
  const causes: Partial<Record<EndReason, string>> = {
    deleted: describeDeletion(row, keyName),
    inactivity: `Nobody used it for ${row.timeoutSeconds} seconds`,
    invocation_ended: `Its invocation ${row.invocationId ?? ""} ended`,
  };
  const meaning = END_REASON_MEANINGS[row.endReason];
  const cause = causes[row.endReason] ?? `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}`;
  return [`${cause}.`, row.endDetails].filter(Boolean).join(" ");
}

/** What `end_details` says about a lost browser. */
export function describeLoss(failure?: string, closeReason?: string): string | undefined {
  const told = closeReason && `The platform gives the reason ${closeReason}.`;
  return [told, failure].filter(Boolean).join(" ") || undefined;
}

function describeDeletion(
  { invocationId, endedByApiKeyId }: BrowserSessionRow,
  keyName: string | undefined,
): string {
  if (endedByApiKeyId === OPERATOR) return "Deleted by the operator";
  if (keyName !== undefined) return `Deleted by API key "${keyName}"`;
  return invocationId === null ? "Deleted" : "Deleted by its invocation";
}
