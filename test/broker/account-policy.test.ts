import { describe, expect, it } from "vitest";
import {
  type AccountState,
  type AccountUse,
  afterFailure,
  afterLaunch,
  afterLaunchBegan,
  afterRefusal,
  chooseAccount,
  estimateLaunchAt,
  freeSlots,
  newAccount,
  nextLaunchAt,
  readDueAt,
  withLimits,
} from "../../src/broker/account-policy.ts";

const NOW = 1_000_000;
const LIMITS = { maxBrowsers: 10, foreign: 0, allowedLaunches: 3, nextLaunchInMs: 0 };

function account(name: string, given: Partial<AccountState> = {}, limits: Partial<typeof LIMITS> = {}) {
  return { ...withLimits(newAccount(name), { ...LIMITS, ...limits }, NOW), ...given };
}

function use(state: AccountState, own = 0): AccountUse {
  return { state, own };
}

describe("the choice of an account", () => {
  it.each<[string, AccountUse[], string[], string | undefined]>([
    ["is none before any limits are read", [use(newAccount("a"))], [], undefined],
    ["is the only one", [use(account("a"))], [], "a"],
    ["is the least used one", [use(account("a"), 5), use(account("b"), 4)], [], "b"],
    ["goes by fractions", [use(account("a"), 5), use(account("b", {}, { maxBrowsers: 100 }), 20)], [], "b"],
    ["counts other services", [use(account("a", {}, { foreign: 6 })), use(account("b"), 5)], [], "b"],
    ["leaves out full ones", [use(account("a"), 10), use(account("b"), 9)], [], "b"],
    [
      "is none when all are full",
      [use(account("a"), 10), use(account("b", {}, { foreign: 10 }))],
      [],
      undefined,
    ],
    [
      "leaves out those without a launch",
      [use(account("a", { launches: 3 })), use(account("b"), 9)],
      [],
      "b",
    ],
    [
      "leaves out refusing ones",
      [use(account("a", { refusedUntil: NOW + 1 })), use(account("b"), 9)],
      [],
      "b",
    ],
    ["leaves out failing ones", [use(account("a", { avoidUntil: NOW + 1 })), use(account("b"), 9)], [], "b"],
    [
      "waits for a healthy one rather than to take a failing one",
      [use(account("a", { avoidUntil: NOW + 1 })), use(account("b"), 10)],
      [],
      undefined,
    ],
    ["is a failing one when all fail", [use(account("a", { avoidUntil: NOW + 1 }))], [], "a"],
    ["leaves out those that were tried", [use(account("a")), use(account("b"), 9)], ["a"], "b"],
  ])("%s", (_, accounts, tried, expected) => {
    expect(chooseAccount(accounts, new Set(tried), NOW)?.name).toBe(expected);
  });
});

describe("an account", () => {
  it("is full with the browsers of all", () => {
    expect(freeSlots(account("a", {}, { foreign: 3 }), 4)).toBe(3);
    expect(freeSlots(account("a", {}, { foreign: 8 }), 4)).toBe(0);
  });

  it("is avoided for longer with each failure, until a launch succeeds", () => {
    let state = account("a");
    const delays = Array.from({ length: 8 }, () => {
      state = afterFailure(state, NOW);
      return (state.avoidUntil - NOW) / 1000;
    });
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
    expect(afterLaunch(state)).toMatchObject({ failures: 0, avoidUntil: 0 });
  });

  it("waits as long as a refusal asks for, and reads its limits", () => {
    const refused = afterRefusal(account("a"), 17_000, NOW);
    expect(refused.refusedUntil).toBe(NOW + 17_000);
    expect(readDueAt(refused)).toBeLessThanOrEqual(NOW);
    expect(afterRefusal(refused, 1000, NOW).refusedUntil).toBe(NOW + 17_000);
  });

  it.each<[string, AccountState, number]>([
    ["after some seconds", account("a"), 5000],
    ["when its launches are used up", account("a", { launches: 3 }), 250],
    ["when the next launch is allowed", account("a", {}, { allowedLaunches: 0, nextLaunchInMs: 700 }), 700],
    [
      "after a second when the platform does not tell them",
      afterLaunchBegan(withLimits(newAccount("a"), undefined, NOW)),
      1000,
    ],
  ])("has its limits read again %s", (_, state, inMs) => {
    expect(readDueAt(state) - NOW).toBe(inMs);
  });
});

describe("the estimate", () => {
  it.each<[string, AccountUse[], number, number]>([
    ["is now for the first", [use(account("a"))], 0, 0],
    ["is now for as many as may be launched at once", [use(account("a"))], 2, 0],
    ["grows by the rate", [use(account("a"))], 5, 1000],
    ["adds the accounts", [use(account("a")), use(account("b"))], 11, 1000],
    ["begins when the platform allows it", [use(account("a", { refusedUntil: NOW + 17_000 }))], 0, 17_000],
    [
      "follows a slow plan",
      [use(account("a", {}, { allowedLaunches: 0, nextLaunchInMs: 20_000 }))],
      1,
      40_000,
    ],
  ])("%s", (_, accounts, ahead, inMs) => {
    expect(estimateLaunchAt(accounts, ahead, NOW) - NOW).toBeCloseTo(inMs);
  });

  it("of the next launch is the earliest of any account", () => {
    const refused = use(account("a", { refusedUntil: NOW + 17_000 }));
    expect(nextLaunchAt([refused], NOW)).toBe(NOW + 17_000);
    expect(nextLaunchAt([refused, use(account("b"), 10)], NOW)).toBe(NOW);
  });
});
