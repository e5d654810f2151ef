import { notFound, ServiceError, serviceUnavailable } from "../http/errors.ts";
import { END_REASON_MEANINGS } from "./end-reason.ts";
import type { SessionRecord } from "./session-record.ts";

/** What those are told who had a pooled session. */
export const RETURNED = "the browser was returned to its pool";

/** @throws ServiceError 404 unless the session is active and this organization's. */
export function requireActive(record: SessionRecord | undefined, organizationId: string): SessionRecord {
  if (record?.phase !== "active" || record.organizationId !== organizationId) {
    throw notFound("browser session");
  }
  return record;
}

/**
 * For holders of a session's signed address, who may be told more of it.
 *
 * @param lease the one that the address is good for, of a session that belongs to a pool.
 * @throws ServiceError 404 when there is no session, 410 when it or the lease has ended, 503 while it has no browser
 * yet.
 */
export function requireReachable(
  record: SessionRecord | undefined,
  lease: number | undefined,
): SessionRecord & { browserId: string } {
  if (record === undefined) throw notFound("browser session");
  if (record.phase === "ended") {
    const because = record.end === undefined ? "" : `: ${END_REASON_MEANINGS[record.end.reason]}`;
    throw new ServiceError("gone", `This session has ended${because}`, { shouldRetry: false });
  }
  if (record.lease !== lease || record.phase === "idle") {
    throw new ServiceError("gone", `The lease of this address is over: ${RETURNED}`, { shouldRetry: false });
  }
  if (record.browserId === undefined) throw serviceUnavailable("This session is still starting");
  return { ...record, browserId: record.browserId };
}
