import { writeDataPoint } from "../../lib/common/analytics.ts";
import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import type { Background } from "../../lib/objects/background.ts";
import { emitEvent } from "../webhooks/index.ts";
import type { EndReason } from "./end-reason.ts";

/** A pooled session is created and ended for callers by each lease. */
export function emitSessionCreated(background: Background, row: BrowserSessionRow): void {
  emitEvent(background, row.organizationId, "session.created", describeSession(row));
}

/** @param end `at` is milliseconds since the epoch, `closeReason` the platform's for a lost browser. */
export function emitSessionEnded(
  background: Background,
  row: BrowserSessionRow,
  { reason, at, closeReason = null }: { reason: EndReason; at: number; closeReason?: string | null },
): void {
  const { organizationId, apiKeyId, poolId, createdAt } = row;
  writeDataPoint(background.env, {
    indexes: [organizationId],
    blobs: ["session", reason, organizationId, apiKeyId, poolId],
    doubles: [(at - createdAt) / 1000],
  });
  const data = { ...describeSession(row), reason, ended_at: new Date(at).toISOString() };
  if (reason === "browser_lost") {
    emitEvent(background, organizationId, "session.crashed", { ...data, close_reason: closeReason });
  } else emitEvent(background, organizationId, "session.ended", data);
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
