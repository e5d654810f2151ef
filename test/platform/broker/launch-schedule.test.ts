import { describe, expect, it } from "vitest";
import { Account } from "../../../src/platform/broker/account.ts";
import {
  chooseAccount,
  estimateLaunchAt,
  LaunchSchedule,
  nextLaunchAt,
  type ScheduledLaunch,
} from "../../../src/platform/broker/launch-schedule.ts";

const NOW = 1_000_000;
const LIMITS = { maxBrowsers: 10, foreign: 0, allowedLaunches: 3, nextLaunchInMs: 0 };

interface Given {
  own?: number;
  launches?: number;
  refusedForMs?: number;
  failures?: number;
}

function account(name: string, limits: Partial<typeof LIMITS> = {}, given: Given = {}): Account {
  const { own = 0, launches = 0, refusedForMs, failures = 0 } = given;
  const made = new Account(name);
  for (let failure = 0; failure < failures; failure += 1) {
    made.launchBegan();
    made.failed(NOW);
  }
  if (refusedForMs !== undefined) {
    made.launchBegan();
    made.refused(refusedForMs, NOW);
  }
  made.readingBegan();
  made.limitsRead({ ...LIMITS, ...limits }, NOW);
  for (let launch = 0; launch < launches; launch += 1) {
    made.launchBegan();
    made.launched();
  }
  made.own = own;
  return made;
}

const refused = (name: string, refusedForMs: number) => account(name, {}, { refusedForMs });
const failing = (name: string) => account(name, {}, { failures: 1 });
const used = (name: string, own: number) => account(name, {}, { own });

describe("the choice of an account", () => {
  it.each<[string, Account[], string[], string | undefined]>([
    ["is none before any limits are read", [new Account("a")], [], undefined],
    ["is the only one", [account("a")], [], "a"],
    ["is the least used one", [used("a", 5), used("b", 4)], [], "b"],
    ["goes by fractions", [used("a", 5), account("b", { maxBrowsers: 100 }, { own: 20 })], [], "b"],
    ["counts other services", [account("a", { foreign: 6 }), used("b", 5)], [], "b"],
    ["leaves out full ones", [used("a", 10), used("b", 9)], [], "b"],
    ["is none when all are full", [used("a", 10), account("b", { foreign: 10 })], [], undefined],
    ["is none where no browser is allowed", [account("a", { maxBrowsers: 0 })], [], undefined],
    ["leaves out those without a launch", [account("a", {}, { launches: 3 }), used("b", 9)], [], "b"],
    ["leaves out refusing ones", [refused("a", 1), used("b", 9)], [], "b"],
    ["leaves out failing ones", [failing("a"), used("b", 9)], [], "b"],
    [
      "waits for a healthy one rather than to take a failing one",
      [failing("a"), used("b", 10)],
      [],
      undefined,
    ],
    ["is a failing one when all fail", [failing("a")], [], "a"],
    ["leaves out those that were tried", [account("a"), used("b", 9)], ["a"], "b"],
  ])("%s", (_, accounts, tried, expected) => {
    expect(chooseAccount(accounts, new Set(tried), NOW)?.name).toBe(expected);
  });
});

describe("an account", () => {
  it("is full with the browsers of all, and those being launched", () => {
    const shared = account("a", { foreign: 5 }, { own: 4 });
    expect(shared.isFull).toBe(false);
    shared.launchBegan();
    expect(shared.isFull).toBe(true);
    shared.failed(NOW);
    expect(shared.isFull).toBe(false);
  });

  it("is avoided for longer with each failure, until a launch succeeds", () => {
    const delays = Array.from({ length: 8 }, (_, index) => {
      return (account("a", {}, { failures: index + 1 }).avoidUntil - NOW) / 1000;
    });
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
    const recovered = account("a", {}, { failures: 3, launches: 1 });
    expect(recovered.avoidUntil).toBe(0);
  });

  it("waits as long as a refusal asks for, and reads its limits", () => {
    const full = account("a");
    for (const retryAfterMs of [17_000, 1000]) {
      full.launchBegan();
      full.refused(retryAfterMs, NOW);
      expect(full.launchAt).toBe(NOW + 17_000);
    }
    expect(full.readDueAt).toBeLessThanOrEqual(NOW);
  });

  it("keeps its limits when they cannot be read, and assumes few launches if it has none", () => {
    const known = account("a", {}, { launches: 1 });
    known.readingBegan();
    known.launchBegan();
    known.limitsRead(undefined, NOW);
    expect([known.mayLaunch(NOW), known.readDueAt]).toEqual([true, NOW + 5000]);
    const silent = new Account("b");
    silent.readingBegan();
    silent.limitsRead(undefined, NOW);
    expect(silent.mayLaunch(NOW)).toBe(true);
    silent.launchBegan();
    expect([silent.mayLaunch(NOW), silent.readDueAt]).toEqual([false, NOW + 1000]);
  });

  it("counts launches that begin while its limits are read", () => {
    const busy = account("a", {}, { launches: 2 });
    busy.readingBegan();
    expect(busy.readDueAt).toBe(Number.POSITIVE_INFINITY);
    busy.launchBegan();
    busy.limitsRead({ ...LIMITS, allowedLaunches: 1 }, NOW);
    expect(busy.mayLaunch(NOW)).toBe(false);
  });

  it.each<[string, Account, number]>([
    ["after some seconds", account("a"), 5000],
    ["when its launches are used up", account("a", {}, { launches: 3 }), 250],
    ["when the next launch is allowed", account("a", { allowedLaunches: 0, nextLaunchInMs: 700 }), 700],
  ])("has its limits read again %s", (_, { readDueAt }, inMs) => {
    expect(readDueAt - NOW).toBe(inMs);
  });
});

describe("the estimate", () => {
  it.each<[string, Account[], number, number]>([
    ["is now for the first", [account("a")], 0, 0],
    ["grows by the rate", [account("a")], 3, 1000],
    ["adds the accounts", [account("a"), account("b")], 6, 1000],
    ["begins when the platform allows it", [refused("a", 17_000)], 0, 17_000],
    ["follows a slow plan", [account("a", { allowedLaunches: 0, nextLaunchInMs: 20_000 })], 1, 40_000],
  ])("%s", (_, accounts, ahead, inMs) => {
    expect(estimateLaunchAt(accounts, ahead, NOW) - NOW).toBeCloseTo(inMs);
  });

  it("of the next launch is the earliest of any account", () => {
    expect(nextLaunchAt([refused("a", 17_000)], NOW)).toBe(NOW + 17_000);
    expect(nextLaunchAt([refused("a", 17_000), used("b", 10)], NOW)).toBe(NOW);
  });
});

describe("a schedule of launches", () => {
  function launch(id: string): ScheduledLaunch {
    const usual = {
      organizationId: "o",
      weight: 1,
      kind: "session" as const,
      tried: new Set<string>(),
    };
    return { ...usual, id, deadline: NOW + 20_000 };
  }

  /** Two accounts with limits that have been read. */
  function scheduleOf(...launches: ScheduledLaunch[]): LaunchSchedule<ScheduledLaunch> {
    const schedule = new LaunchSchedule<ScheduledLaunch>();
    schedule.setAccounts(new Map(Object.entries({ a: 0, b: 5 })));
    for (const account of schedule.beginReading(NOW))
      account.limitsRead({ ...LIMITS, allowedLaunches: 1 }, NOW);
    for (const next of launches) schedule.queue.add(next);
    return schedule;
  }

  it("begins launches in order while an account allows it", () => {
    const schedule = scheduleOf(launch("1"), launch("2"), launch("3"));
    const begun = Array.from({ length: 3 }, () => schedule.begin(NOW));
    expect(begun.map((one) => one && [one.launch.id, one.account.name])).toEqual([
      ["1", "a"],
      ["2", "b"],
      undefined,
    ]);
    expect(schedule.nextChangeAt(NOW)).toBe(NOW + 250);
    expect(schedule.queue.take()?.id).toBe("3");
  });

  it("tries each account once, and a refusing one again", () => {
    const schedule = scheduleOf(launch("1"));
    const outcomes = [undefined, 1000].map((refusedForMs) => {
      const { launch: begun, account } = schedule.begin(NOW) ?? {};
      if (begun === undefined || account === undefined) return "not begun";
      const mayRetry = schedule.mayRetry(begun, account, NOW, refusedForMs);
      schedule.queue.putBack(begun);
      return [account.name, mayRetry];
    });
    expect(outcomes).toEqual([
      ["a", true],
      ["b", true],
    ]);
    expect([...(schedule.queue.take()?.tried ?? [])]).toEqual(["a"]);
  });

  it("begins a later launch where the first one has failed everywhere else", () => {
    const failed = { ...launch("1"), tried: new Set(["a", "b"]) };
    const schedule = scheduleOf(failed, launch("2"));
    expect(schedule.begin(NOW)?.launch.id).toBe("2");
    expect(schedule.queue.take()?.id).toBe("1");
  });

  it("gives up launches whose deadline comes first, for longer when all accounts are full", () => {
    const schedule = scheduleOf({ ...launch("1"), deadline: NOW }, launch("2"));
    const retryAfterMs = expect.closeTo(500);
    expect(schedule.takeHopeless(NOW)).toEqual([
      { launch: expect.objectContaining({ id: "1" }), retryAfterMs },
    ]);
    schedule.setAccounts(new Map(Object.entries({ a: 10, b: 10 })));
    expect(schedule.takeHopeless(NOW + 20_000)).toEqual([
      { launch: expect.objectContaining({ id: "2" }), retryAfterMs: 10_000 },
    ]);
  });

  it("forgets accounts that are not used any more", () => {
    const schedule = scheduleOf(launch("1"));
    schedule.setAccounts(new Map([["b", 0]]));
    expect(schedule.begin(NOW)?.account.name).toBe("b");
  });
});
