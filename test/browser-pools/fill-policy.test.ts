import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FillState,
  MAX_CONCURRENT_LAUNCHES,
  NEW_FILL_STATE,
  type PoolCounts,
  planFill,
} from "../../src/browser-pools/fill-policy.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_000_000_000_000;

interface SimulationOptions {
  size: number;
  rate: number;
  existing?: number;
  state?: Partial<FillState>;
  /** Whether launches are through as soon as they begin; else they are by {@link Simulation.complete}. */
  isInstant?: boolean;
}

/** A pool over time: it plans whenever something happens to it, and when the last plan said. */
class Simulation {
  now = START;
  size: number;
  rate: number;
  existing: number;
  launching = 0;
  leaving = 0;
  state: FillState;
  wakeAt: number | undefined;
  /** When each browser was launched, from the start. */
  readonly launchedAt: number[] = [];
  readonly #isInstant: boolean;

  constructor({ size, rate, existing = 0, state, isInstant = true }: SimulationOptions) {
    this.size = size;
    this.rate = rate;
    this.existing = existing;
    this.state = { ...NEW_FILL_STATE, ...state };
    this.#isInstant = isInstant;
    this.plan();
  }

  get interval(): number {
    return MINUTE / ((this.size * this.rate) / 100);
  }

  get minutes(): number[] {
    return this.launchedAt.map((at) => at / MINUTE);
  }

  plan(): void {
    const stock: PoolCounts = {
      size: this.size,
      existing: this.existing,
      leaving: this.leaving,
      launching: this.launching,
      fillRatePerMinute: this.rate,
    };
    const { launches, state, wakeAt } = planFill(stock, this.state, this.now);
    this.state = state;
    this.wakeAt = wakeAt;
    this.existing += launches;
    this.launching += launches;
    for (let launch = 0; launch < launches; launch += 1) this.launchedAt.push(this.now - START);
    if (this.#isInstant && launches > 0) this.complete(launches);
  }

  /** So many launches succeed. */
  complete(count = this.launching): void {
    this.launching -= count;
    this.state = { ...this.state, failures: 0 };
    this.plan();
  }

  /** A launch fails; nothing is left of its browser. */
  fail(backOffMs: number): void {
    this.launching -= 1;
    this.existing -= 1;
    const { failures, owed } = this.state;
    this.state = {
      ...this.state,
      failures: failures + 1,
      owed: owed + 1,
      backOffUntil: this.now + backOffMs,
    };
    this.plan();
  }

  /** Browsers are lost, as when they crash. */
  lose(count = 1): void {
    this.existing -= count;
    this.plan();
  }

  /** Browsers begin to leave, and others are owed for them. */
  discard(count: number): void {
    this.leaving += count;
    this.state = { ...this.state, owed: this.state.owed + count };
    this.plan();
  }

  /** Browsers that were to leave have left. */
  leave(count = this.leaving): void {
    this.leaving -= count;
    this.lose(count);
  }

  configure(change: { size?: number; rate?: number }): void {
    Object.assign(this, change);
    this.plan();
  }

  /** Time goes by, and the pool plans when it wants to be woken. */
  pass(milliseconds: number): void {
    const until = this.now + milliseconds;
    while (this.wakeAt !== undefined && this.wakeAt <= until) {
      // An alarm does not come before its time.
      this.now = Math.max(this.now, Math.ceil(this.wakeAt));
      this.plan();
    }
    this.now = until;
  }

  /** Time goes by while the service is down. */
  sleep(milliseconds: number): void {
    this.now += milliseconds;
    this.plan();
  }
}

describe("an empty pool", () => {
  it("of 10 at 10 % has one browser at once, then one a minute, and is full after 9", () => {
    const pool = new Simulation({ size: 10, rate: 10 });
    pool.pass(HOUR);
    expect(pool.minutes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(pool.existing).toBe(10);
  });

  it("of 4 at 25 % has one browser a minute", () => {
    const pool = new Simulation({ size: 4, rate: 25 });
    pool.pass(HOUR);
    expect(pool.minutes).toEqual([0, 1, 2, 3]);
  });

  it("of 1 at 1 % has its browser at once", () => {
    const pool = new Simulation({ size: 1, rate: 1 });
    expect(pool.minutes).toEqual([0]);
    expect(pool.wakeAt).toBeUndefined();
  });

  it("of 100 at 25 % has 25 browsers a minute, evenly spread", () => {
    const pool = new Simulation({ size: 100, rate: 25 });
    pool.pass(HOUR);
    expect(pool.launchedAt).toEqual(Array.from({ length: 100 }, (_, index) => index * 2400));
  });

  it.each([
    [3, 25],
    [7, 13],
    [9, 11],
    [1000, 25],
  ])("of %i at %i percent is filled evenly although its interval is no whole number", (size, rate) => {
    const pool = new Simulation({ size, rate });
    pool.pass(24 * HOUR);
    expect(pool.launchedAt).toHaveLength(size);
    for (const [index, at] of pool.launchedAt.entries()) {
      // The clock counts whole milliseconds.
      expect(at - index * pool.interval).toBeGreaterThanOrEqual(-0.001);
      expect(at - index * pool.interval).toBeLessThan(1.001);
    }
  });

  it("is not filled at 0 %, and wants no waking", () => {
    const pool = new Simulation({ size: 4, rate: 0 });
    expect(pool.wakeAt).toBeUndefined();
    pool.sleep(HOUR);
    expect(pool.launchedAt).toEqual([]);
  });
});

describe("a full pool", () => {
  it("launches nothing and wants no waking, whatever it is owed", () => {
    const pool = new Simulation({ size: 4, rate: 25, existing: 4, state: { owed: 3 } });
    expect([pool.launchedAt, pool.wakeAt]).toEqual([[], undefined]);
    pool.sleep(HOUR);
    expect([pool.launchedAt, pool.wakeAt]).toEqual([[], undefined]);
  });

  it("launches nothing while it has more than its size", () => {
    const pool = new Simulation({ size: 2, rate: 25, existing: 4 });
    pool.lose();
    pool.lose();
    expect(pool.launchedAt).toEqual([]);
    pool.lose();
    expect(pool.launchedAt).toEqual([0]);
  });

  it("for an hour has one that is lost replaced at once, and the second an interval later", () => {
    const pool = new Simulation({ size: 4, rate: 25, existing: 4 });
    pool.pass(HOUR);
    pool.lose(2);
    pool.pass(HOUR);
    expect(pool.minutes).toEqual([60, 61]);
  });

  it("does not have more launched than its rate says by browsers being lost again and again", () => {
    const pool = new Simulation({ size: 4, rate: 25, existing: 4 });
    for (let second = 0; second < 600; second += 1) {
      if (pool.existing > 0) pool.lose();
      pool.pass(1000);
    }
    // One at once, and then one a minute.
    expect(pool.minutes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("lacks nothing from the launch of the last browser on, not only once that is through", () => {
    const pool = new Simulation({ size: 4, rate: 25, existing: 3, isInstant: false });
    pool.pass(10 * MINUTE);
    pool.lose(3);
    expect(pool.minutes).toEqual([0, 10]);
  });

  it("does not launch sooner because it was full for a moment", () => {
    const pool = new Simulation({ size: 2, rate: 25 });
    pool.pass(2 * MINUTE);
    pool.lose();
    pool.pass(MINUTE);
    expect(pool.minutes).toEqual([0, 2]);
    pool.pass(MINUTE);
    expect(pool.minutes).toEqual([0, 2, 4]);
  });
});

describe("browsers that are owed", () => {
  it("are launched at once whatever the rate, once those in whose place they come have left", () => {
    const pool = new Simulation({ size: 3, rate: 1, existing: 3 });
    pool.discard(3);
    expect(pool.launchedAt).toEqual([]);
    pool.leave(1);
    pool.leave(2);
    expect(pool.launchedAt).toEqual([0, 0, 0]);
    expect(pool.state.owed).toBe(0);
  });

  it("are not lost while those in whose place they come are still leaving, however often is planned", () => {
    const pool = new Simulation({ size: 4, rate: 0, existing: 4 });
    pool.discard(4);
    for (let time = 0; time < 10; time += 1) pool.sleep(MINUTE);
    expect([pool.launchedAt, pool.state.owed]).toEqual([[], 4]);
    for (let time = 0; time < 4; time += 1) pool.leave(1);
    expect(pool.launchedAt).toHaveLength(4);
  });

  it("are launched at a rate of 0", () => {
    const pool = new Simulation({ size: 2, rate: 0, existing: 2 });
    pool.discard(2);
    pool.leave();
    pool.sleep(HOUR);
    expect(pool.launchedAt).toEqual([0, 0]);
  });

  it("are launched so many at a time", () => {
    const pool = new Simulation({ size: 10, rate: 0, existing: 10, isInstant: false });
    pool.discard(10);
    pool.leave();
    expect(pool.launching).toBe(MAX_CONCURRENT_LAUNCHES);
    pool.complete(1);
    expect([pool.launching, pool.launchedAt.length]).toEqual([
      MAX_CONCURRENT_LAUNCHES,
      MAX_CONCURRENT_LAUNCHES + 1,
    ]);
    while (pool.launching > 0) pool.complete();
    expect([pool.existing, pool.launchedAt.length]).toEqual([10, 10]);
  });

  it("do not count against the rate", () => {
    const pool = new Simulation({ size: 4, rate: 25, existing: 4 });
    pool.discard(2);
    pool.leave();
    pool.lose(2);
    pool.pass(HOUR);
    expect(pool.minutes).toEqual([0, 0, 0, 1]);
  });

  it("are no more than there is a place for", () => {
    const pool = new Simulation({ size: 4, rate: 0, existing: 4 });
    pool.discard(4);
    pool.configure({ size: 1 });
    pool.leave();
    pool.sleep(HOUR);
    expect(pool.launchedAt).toEqual([0]);
    pool.lose();
    expect(pool.launchedAt).toEqual([0]);
  });

  it("are forgotten where others have taken their place", () => {
    const pool = new Simulation({ size: 2, rate: 0, existing: 2, state: { owed: 5 } });
    expect(pool.state.owed).toBe(0);
    pool.lose(2);
    expect(pool.launchedAt).toEqual([]);
  });
});

describe("after a launch that failed", () => {
  it("nothing is launched before its time, be it owed or due", () => {
    const pool = new Simulation({ size: 10, rate: 25, isInstant: false });
    pool.fail(5 * MINUTE);
    expect([pool.launching, pool.wakeAt]).toEqual([0, START + 5 * MINUTE]);
    pool.sleep(5 * MINUTE - 1);
    expect([pool.launching, pool.wakeAt]).toEqual([0, START + 5 * MINUTE]);
    pool.pass(1);
    expect(pool.launching).toBe(1);
  });

  it("a single one shows whether launches succeed again", () => {
    const pool = new Simulation({ size: 10, rate: 25, isInstant: false });
    pool.fail(MINUTE);
    pool.pass(MINUTE);
    pool.sleep(10 * MINUTE);
    expect(pool.launching).toBe(1);
    pool.fail(2 * MINUTE);
    pool.sleep(MINUTE);
    expect(pool.launching).toBe(0);
    pool.pass(HOUR);
    expect(pool.launching).toBe(1);
    pool.complete();
    expect(pool.launching).toBe(MAX_CONCURRENT_LAUNCHES);
  });

  it("none is launched while others are still under way", () => {
    const pool = new Simulation({ size: 8, rate: 0, existing: 8, isInstant: false });
    pool.discard(8);
    pool.leave();
    pool.fail(1000);
    pool.sleep(1000);
    expect([pool.launching, pool.launchedAt.length]).toEqual([
      MAX_CONCURRENT_LAUNCHES - 1,
      MAX_CONCURRENT_LAUNCHES,
    ]);
  });

  it("the pool is woken for it even where it is not filled", () => {
    const pool = new Simulation({ size: 1, rate: 0, existing: 1, isInstant: false });
    pool.discard(1);
    pool.leave();
    pool.fail(MINUTE);
    expect(pool.wakeAt).toBe(START + MINUTE);
    pool.pass(MINUTE);
    expect(pool.launching).toBe(1);
  });
});

describe("a pool that is changed", () => {
  it("to a higher rate is filled by it from then on", () => {
    const pool = new Simulation({ size: 4, rate: 1 });
    pool.pass(5 * MINUTE);
    pool.configure({ rate: 25 });
    pool.pass(HOUR);
    expect(pool.minutes).toEqual([0, 6, 7, 8]);
  });

  it("to a higher rate is filled by it although it plans for other reasons, too", () => {
    const pool = new Simulation({ size: 4, rate: 1 });
    pool.configure({ rate: 25 });
    for (let second = 0; second < 180; second += 1) pool.sleep(1000);
    expect(pool.minutes).toEqual([0, 1, 2, 3]);
  });

  it("to a larger size is filled at the interval of that from then on", () => {
    const pool = new Simulation({ size: 1, rate: 25 });
    pool.configure({ size: 4 });
    pool.pass(HOUR);
    expect(pool.minutes).toEqual([0, 1, 2, 3]);
  });

  it("to a lower rate keeps to what it had in view, then to that rate", () => {
    const pool = new Simulation({ size: 4, rate: 25 });
    pool.configure({ rate: 5 });
    pool.pass(HOUR);
    expect(pool.minutes).toEqual([0, 1, 6, 11]);
  });

  it("from a pause of an hour makes no burst", () => {
    const pool = new Simulation({ size: 4, rate: 25 });
    pool.configure({ rate: 0 });
    expect(pool.wakeAt).toBeUndefined();
    pool.pass(HOUR);
    pool.configure({ rate: 25 });
    pool.pass(HOUR);
    expect(pool.minutes).toEqual([0, 60, 61, 62]);
  });

  it("from a short pause is not filled sooner than without it", () => {
    const pool = new Simulation({ size: 4, rate: 25 });
    for (let second = 0; second < 120; second += 1) {
      pool.configure({ rate: 0 });
      pool.pass(500);
      pool.configure({ rate: 25 });
      pool.pass(500);
    }
    expect(pool.launchedAt.filter((at) => at < 2 * MINUTE)).toHaveLength(2);
  });

  it("to a smaller size that it has already is not filled further", () => {
    const pool = new Simulation({ size: 10, rate: 10 });
    pool.pass(2 * MINUTE);
    pool.configure({ size: 2 });
    pool.pass(HOUR);
    expect(pool.minutes).toEqual([0, 1, 2]);
  });
});

describe("after a time in which the service was down", () => {
  it("what should have been launched meanwhile is launched at once, and then one after the other", () => {
    const pool = new Simulation({ size: 10, rate: 10 });
    pool.sleep(3 * MINUTE + MINUTE / 2);
    expect(pool.minutes).toEqual([0, 3.5, 3.5, 3.5]);
    pool.pass(MINUTE);
    expect(pool.minutes).toEqual([0, 3.5, 3.5, 3.5, 4]);
  });

  it("so many at a time are launched", () => {
    const pool = new Simulation({ size: 10, rate: 10, isInstant: false });
    pool.sleep(HOUR);
    expect(pool.launching).toBe(MAX_CONCURRENT_LAUNCHES);
    while (pool.launching > 0) pool.complete();
    expect(pool.existing).toBe(10);
  });

  it("a pool that was full is not taken to have lacked anything", () => {
    const pool = new Simulation({ size: 4, rate: 25, existing: 4 });
    pool.sleep(HOUR);
    pool.lose(4);
    pool.pass(0);
    expect(pool.minutes).toEqual([60]);
  });

  it("a pool that is late by a moment is not late for good", () => {
    const pool = new Simulation({ size: 4, rate: 25 });
    pool.sleep(MINUTE + 700);
    pool.pass(HOUR);
    expect(pool.launchedAt).toEqual([0, MINUTE + 700, 2 * MINUTE, 3 * MINUTE]);
  });
});

type Step =
  | { kind: "pass" | "sleep"; milliseconds: number }
  | { kind: "lose" | "complete" | "discard" | "leave"; count: number }
  | { kind: "fail"; milliseconds: number };

const duration = fc.oneof(fc.nat(10_000), fc.nat(10 * MINUTE));
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("pass", "pass", "sleep", "fail"), milliseconds: duration }),
    fc.record({
      kind: fc.constantFrom("lose", "complete", "complete", "discard", "leave"),
      count: fc.integer({ min: 1, max: 5 }),
    }),
  ),
  { maxLength: 60 },
);

/** Does a step as far as the pool has what it takes. @returns how many browsers are owed because of it. */
function doStep(pool: Simulation, step: Step): number {
  const staying = pool.existing - pool.launching - pool.leaving;
  switch (step.kind) {
    case "pass":
      pool.pass(step.milliseconds);
      return 0;
    case "sleep":
      pool.sleep(step.milliseconds);
      return 0;
    case "lose":
      pool.lose(Math.min(step.count, staying));
      return 0;
    case "leave":
      pool.leave(Math.min(step.count, pool.leaving));
      return 0;
    case "complete":
      pool.complete(Math.min(step.count, pool.launching));
      return 0;
    case "discard":
      pool.discard(Math.min(step.count, staying));
      return Math.min(step.count, staying);
    case "fail":
      if (pool.launching === 0) return 0;
      pool.fail(step.milliseconds);
      return 1;
  }
}

describe("whatever happens to a pool", () => {
  const settings = fc.record({
    size: fc.integer({ min: 1, max: 30 }),
    rate: fc.integer({ min: 0, max: 25 }),
  });

  it("it has no more browsers than its size, and no more are launched at a time than may be", () => {
    fc.assert(
      fc.property(settings, steps, (options, all) => {
        const pool = new Simulation({ ...options, isInstant: false });
        for (const step of all) {
          doStep(pool, step);
          expect(pool.existing).toBeLessThanOrEqual(pool.size);
          expect(pool.launching).toBeLessThanOrEqual(MAX_CONCURRENT_LAUNCHES);
          expect(pool.state.owed).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("it is woken in the future, and is never forgotten while it lacks what it should have", () => {
    fc.assert(
      fc.property(settings, steps, (options, all) => {
        const pool = new Simulation({ ...options, isInstant: false });
        for (const step of all) {
          doStep(pool, step);
          if (pool.wakeAt !== undefined && step.kind !== "pass") {
            expect(pool.wakeAt).toBeGreaterThan(pool.now);
          }
          const isMissing = pool.existing < pool.size && (pool.rate > 0 || pool.state.owed > 0);
          // A launch that is through has it planned anew.
          if (isMissing && pool.launching === 0) expect(pool.wakeAt).toBeDefined();
        }
      }),
      { numRuns: 500 },
    );
  });

  it("the rate is kept to in any time that begins when it is not behind, but for what was owed", () => {
    fc.assert(
      fc.property(settings, steps, (options, all) => {
        const pool = new Simulation({ ...options, isInstant: false });
        /** Moments when the pool lacked nothing that was due: how many were launched, or may have been besides. */
        const onTime: { at: number; launched: number; extra: number }[] = [];
        let extra = 0;
        for (const step of all) {
          const isFull = pool.existing >= pool.size;
          const isWaiting =
            pool.wakeAt !== undefined && pool.wakeAt > Math.max(pool.now, pool.state.backOffUntil);
          if (isFull || isWaiting) {
            onTime.push({ at: pool.now, launched: pool.launchedAt.length, extra: extra - pool.state.owed });
          }
          extra += doStep(pool, step);
          for (const from of onTime) {
            const evenly = pool.launchedAt.length - from.launched - (extra - from.extra);
            const most = pool.rate === 0 ? 0 : 1 + (pool.now - from.at) / pool.interval;
            expect(evenly).toBeLessThanOrEqual(most);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("it is full in the end when launches succeed, as soon as its rate allows", () => {
    fc.assert(
      fc.property(settings, steps, ({ size, rate }, all) => {
        const pool = new Simulation({ size, rate: rate + 1, isInstant: false });
        for (const step of all) doStep(pool, step);
        pool.leave();
        const from = Math.max(pool.now, pool.state.backOffUntil);
        let waits = 0;
        while (pool.existing < pool.size || pool.launching > 0) {
          if (pool.launching > 0) pool.complete();
          else if (pool.wakeAt !== undefined) pool.pass(Math.max(0, Math.ceil(pool.wakeAt) - pool.now));
          waits += 1;
          expect(waits).toBeLessThan(1000);
        }
        // A millisecond for each whole one that the clock counts.
        expect(pool.now - from).toBeLessThanOrEqual(size * pool.interval + 2);
      }),
      { numRuns: 300 },
    );
  });
});
