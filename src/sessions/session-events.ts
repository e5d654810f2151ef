import { writeDataPoint } from "../common/analytics.ts";
import type { BrowserSessionRow } from "../database/schema/browser-sessions.ts";
import { type Background, emitEvent } from "../webhooks/index.ts";
import type { EndReason } from "./end-reason.ts";

/** A pooled session is created and ended for callers by each lease. */
export function emitSessionCreated(background: Background, row: BrowserSessionRow): void {
  emitEvent(background, row.organizationId, "session.created", describeSession(row));
}

/** @param end when and why; `at` is milliseconds since the epoch. */
export function emitSessionEnded(
  background: Background,
  row: BrowserSessionRow,
  { reason, at }: { reason: EndReason; at: number },
): void {
  const { organizationId, apiKeyId, poolId, createdAt } = row;
  writeDataPoint(background.env, {
    indexes: [organizationId],
    blobs: ["session", reason, organizationId, apiKeyId, poolId],
    doubles: [(at - createdAt) / 1000],
  });
  const type = reason === "browser_lost" ? "session.crashed" : "session.ended";
  const ended_at = new Date(at).toISOString();
  emitEvent(background, row.organizationId, type, { ...describeSession(row), reason, ended_at });
}

function describeSession({ id, name, tags, poolId, poolName, invocationId, createdAt }: BrowserSessionRow) {
  return {
    session_id: id,
    name,
    tags,
    pool_id: poolId,
    pool_name: poolName,
    invocation_id: invocationId,
    created_at: new Date(createdAt).toISOString(),
  };
}
