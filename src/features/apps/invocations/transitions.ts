import type { InvocationStatus } from "../../../lib/database/schema/apps.ts";

const NEXT: Record<InvocationStatus, readonly InvocationStatus[]> = {
  // A call can finish an invocation before it runs.
  queued: ["running", "succeeded", "failed"],
  running: ["succeeded", "failed"],
  succeeded: [],
  failed: [],
};

export function canTransition(from: InvocationStatus, to: InvocationStatus): boolean {
  return NEXT[from].includes(to);
}

export function isFinished(status: InvocationStatus): boolean {
  return NEXT[status].length === 0;
}

type Recovery = { do: "nothing" } | { do: "begin" } | { do: "fail"; reason: string };

/** Recovers after a restart of the object: no action runs twice, and any caller that was waiting has gone. */
export function planRecovery(status: InvocationStatus, isAwaited: boolean): Recovery {
  if (isFinished(status)) return { do: "nothing" };
  if (status === "running") return { do: "fail", reason: "The service was restarted while the action ran" };
  if (isAwaited) return { do: "fail", reason: "The service was restarted before the action began" };
  return { do: "begin" };
}
