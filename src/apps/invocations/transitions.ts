import type { InvocationState } from "../../database/schema/apps.ts";

const NEXT: Record<InvocationState, readonly InvocationState[]> = {
  // A call may settle it before it begins.
  queued: ["running", "succeeded", "failed"],
  running: ["succeeded", "failed"],
  succeeded: [],
  failed: [],
};

/** Whether an invocation may go from one state to another; never back, never twice to the same. */
export function canTransition(from: InvocationState, to: InvocationState): boolean {
  return NEXT[from].includes(to);
}

export function isFinished(status: InvocationState): boolean {
  return NEXT[status].length === 0;
}

/** What there is to do for an invocation that is found in a state in which nobody looks after it any more. */
export type Recovery = { do: "nothing" } | { do: "begin" } | { do: "fail"; reason: string };

/**
 * What becomes of an invocation whose object starts anew, as after a restart of the service: code that ran is gone, and
 * is never run a second time.
 *
 * @param isAwaited whether its caller waited for it, and so has gone as well.
 */
export function planRecovery(status: InvocationState, isAwaited: boolean): Recovery {
  if (isFinished(status)) return { do: "nothing" };
  if (status === "running") return { do: "fail", reason: "The service was restarted while the action ran" };
  if (isAwaited) return { do: "fail", reason: "The service was restarted before the action began" };
  return { do: "begin" };
}
