import { describe, expect, it } from "vitest";
import { planDelivery } from "../../../src/features/webhooks/retry-policy.ts";

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const EVENT = { eventType: "session.ended", createdAt: NOW } as const;

describe("planDelivery", () => {
  it.each([200, 204, 299])("ends with %i", (status) => {
    const delivered = { state: "delivered", stateReason: null, endedAt: NOW };
    expect(planDelivery(EVENT, { attempts: 1, status, now: NOW })).toEqual(delivered);
  });

  it.each([undefined, 101, 302, 400, 401, 404, 409, 429, 500, 503])("retries after %s", (status) => {
    expect(planDelivery(EVENT, { attempts: 1, status, now: NOW })).toMatchObject({ state: "pending" });
  });

  it("fails with 410, and never retries a test", () => {
    expect(planDelivery(EVENT, { attempts: 1, status: 410, now: NOW })).toMatchObject({
      state: "failed",
      endedAt: NOW,
    });
    const test = { eventType: "webhook.test", createdAt: NOW } as const;
    expect(planDelivery(test, { attempts: 1, status: 500, now: NOW })).toMatchObject({ state: "failed" });
  });

  it.each([
    [1, 5],
    [2, 30],
    [3, 120],
    [4, 600],
    [5, 3600],
    [6, 10_800],
    [7, 21_600],
    [10, 21_600],
  ])("waits after attempt %i for %i seconds, more or less", (attempts, seconds) => {
    const wait = (random: number) =>
      (planDelivery(EVENT, { attempts, now: NOW }, random).nextAttemptAt ?? 0) - NOW;
    expect(wait(0.5)).toBe(seconds * 1000);
    expect([wait(0), wait(1)]).toEqual([seconds * 800, seconds * 1200]);
  });

  it("gives up when the next attempt would be more than a day after the event", () => {
    const plan = (age: number) =>
      planDelivery({ ...EVENT, createdAt: NOW - age }, { attempts: 7, now: NOW }, 0.5);
    expect(plan(18 * HOUR_MS)).toMatchObject({ state: "pending", nextAttemptAt: NOW + 6 * HOUR_MS });
    expect(plan(18 * HOUR_MS + 1)).toMatchObject({ state: "failed", endedAt: NOW });
  });

  it("makes about ten attempts", () => {
    const attemptsWith = (random: number) => {
      let attempts = 1;
      for (let now = NOW; ; attempts += 1) {
        const { nextAttemptAt } = planDelivery(EVENT, { attempts, now }, random);
        if (nextAttemptAt === undefined) return attempts;
        now = nextAttemptAt;
      }
    };
    expect([0, 0.5, 1].map(attemptsWith)).toEqual([11, 10, 9]);
  });
});
