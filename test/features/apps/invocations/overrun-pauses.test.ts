import { describe, expect, it } from "vitest";
import { OverrunPauses, pauseReason } from "../../../../src/features/apps/invocations/overrun-pauses.ts";

const SECOND = 1000;

describe("OverrunPauses", () => {
  it("doubles the pause each time, up to five minutes", () => {
    const pauses = new OverrunPauses();
    const lengths: number[] = [];
    let now = 0;
    for (let count = 0; count < 8; count++) {
      pauses.add("deployment", now);
      const remaining = pauses.remainingMs("deployment", now);
      lengths.push(remaining / SECOND);
      now += remaining;
      expect(pauses.remainingMs("deployment", now)).toBe(0);
    }
    expect(lengths).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it("does not extend the pause for concurrent runs", () => {
    const pauses = new OverrunPauses();
    for (const now of [0, 100, 9 * SECOND]) pauses.add("deployment", now);
    expect(pauses.remainingMs("deployment", 9 * SECOND)).toBe(SECOND);
  });

  it("starts over after ten minutes", () => {
    const pauses = new OverrunPauses();
    pauses.add("deployment", 0);
    const later = 10 * SECOND + 600 * SECOND + 1;
    pauses.add("deployment", later);
    expect(pauses.remainingMs("deployment", later)).toBe(10 * SECOND);
  });

  it("does not pause other deployments", () => {
    const pauses = new OverrunPauses();
    pauses.add("deployment", 0);
    expect(pauses.remainingMs("other", 0)).toBe(0);
  });

  it("states how long the pause lasts", () => {
    expect(pauseReason(4500)).toBe(
      "An earlier run of this deployment was stopped because its code blocked the event loop (an endless loop?); " +
        "its actions run again in 5 seconds",
    );
  });
});
