import { notFound, ServiceError, serviceUnavailable, unauthorized } from "../../lib/common/errors.ts";
import { type CallerReach, isWithinReach } from "../organizations/index.ts";
import { END_REASON_MEANINGS } from "./end-reason.ts";
import type { SessionRecord } from "./record.ts";

export const REVOKED = "this address was revoked; get the session again";

export const RETURNED = "the browser was returned to its pool";

/** What the bearer of a session's signed URL may reach. */
export interface AddressGrant {
  /** The lease of a pooled session; undefined: the session belongs to no pool. */
  lease: number | undefined;
  /** How often the session's URLs had been revoked when the URL was signed. */
  generation: number;
  /** The handoff that the URL was made for. The URL is valid while it is pending. */
  handoff?: string;
}

/** @throws ServiceError 404 unless the session is active and within the caller's reach. */
export function requireActive(record: SessionRecord | undefined, caller: CallerReach): SessionRecord {
  if (record?.phase !== "active" || !isWithinReach(record, caller)) throw notFound("browser session");
  return record;
}

/**
 * For holders of a signed URL, who may learn why it does not work.
 *
 * @throws ServiceError 401 when the URL was revoked, 404 for an unknown session, 410 when the session or the
 * lease has ended, 503 while the session is starting.
 */
export function requireReachable(
  record: SessionRecord | undefined,
  { lease, generation }: AddressGrant,
): SessionRecord & { browserId: string } {
  if (record === undefined) throw notFound("browser session");
  if (record.phase === "ended") {
    const because = record.end === undefined ? "" : `: ${END_REASON_MEANINGS[record.end.reason]}`;
    throw new ServiceError("gone", `This session has ended${because}`, { shouldRetry: false });
  }
  if (generation < record.urlGeneration) throw unauthorized(REVOKED);
  if (record.lease !== lease || record.phase === "idle") {
    throw new ServiceError("gone", `The lease of this address is over: ${RETURNED}`, { shouldRetry: false });
  }
  if (record.browserId === undefined) throw serviceUnavailable("This session is still starting");
  return { ...record, browserId: record.browserId };
}
