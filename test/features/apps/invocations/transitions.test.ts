import { describe, expect, it } from "vitest";
import {
  canTransition,
  isFinished,
  planRecovery,
} from "../../../../src/features/apps/invocations/transitions.ts";
import { INVOCATION_STATUSES, type InvocationStatus } from "../../../../src/lib/database/schema/apps.ts";

describe("canTransition", () => {
  const allowed: Record<InvocationStatus, InvocationStatus[]> = {
    queued: ["running", "succeeded", "failed"],
    running: ["succeeded", "failed"],
    succeeded: [],
    failed: [],
  };

  it.each(INVOCATION_STATUSES)("allows only forward transitions from %s", (from) => {
    expect(INVOCATION_STATUSES.filter((to) => canTransition(from, to))).toEqual(allowed[from]);
  });

  it("agrees with isFinished on the final states", () => {
    expect(INVOCATION_STATUSES.filter(isFinished)).toEqual(["succeeded", "failed"]);
  });
});

describe("planRecovery", () => {
  const fails = (reason: string) => ({ do: "fail", reason: expect.stringContaining(reason) });
  it.each<[InvocationStatus, isAwaited: boolean, next: object]>([
    ["queued", false, { do: "begin" }],
    ["queued", true, fails("before the action began")],
    ["running", false, fails("while the action ran")],
    ["running", true, fails("while the action ran")],
    ["succeeded", false, { do: "nothing" }],
    ["succeeded", true, { do: "nothing" }],
    ["failed", false, { do: "nothing" }],
    ["failed", true, { do: "nothing" }],
  ])("recovers a %s invocation (awaited: %s)", (status, isAwaited, next) => {
    expect(planRecovery(status, isAwaited)).toEqual(next);
  });
});
