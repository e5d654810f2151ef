import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FillState,
  MAX_CONCURRENT_LAUNCHES,
  NEW_FILL_STATE,
  type PoolCounts,
  planFill,
} from "../../../src/features/browser-pools/fill-policy.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_000_000_000_000;

interface SimulationOptions {
  size: number;
  rate: number;
  existing?: number;
  state?: Partial<FillState>;
  /** Completes launches immediately; otherwise {@link Simulation.complete} does. */
  isInstant?: boolean;
}

/** A pool over time. It plans after every event and at each wake-up. */
class Simulation {
  now = START;
  size: number;
  rate: number;
  existing: number;
  launching = 0;
  leaving = 0;
  state: FillState;
  wakeAt: number | undefined;
  /** Launch times, relative to the start. */
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

  complete(count = this.launching): void {
    this.launching -= count;
    this.state = { ...this.state, failures: 0 };
    this.plan();
  }

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

  crash(count = 1): void {
    this.existing -= count;
    this.plan();
  }

  /** Browsers start to leave and are owed replacements. */
  discard(count: number): void {
    this.leaving += count;
    this.state = { ...this.state, owed: this.state.owed + count };
    this.plan();
  }

  leave(count = this.leaving): void {
    this.leaving -= count;
    this.crash(count);
  }

  configure(change: { size?: number; rate?: number }): void {
    Object.assign(this, change);
    this.plan();
  }

  /** Advances the clock and plans at each wake-up. */
  advance(milliseconds: number): void {
    const until = this.now + milliseconds;
    while (this.wakeAt !== undefined && this.wakeAt <= until) {
      // Alarms never fire early.
      this.now = Math.max(this.now, Math.ceil(this.wakeAt));
      this.plan();
    }
    this.now = until;
  }

  /** Advances the clock without wake-ups, as while the service is down. */
  sleep(milliseconds: number): void {
    this.now += milliseconds;
    this.plan();
  }
}

describe("an empty pool", () => {
  it("of 10 at 10 % launches one browser immediately and one per minute", () => {
    const pool = new Simulation({ size: 10, rate: 10 });
    pool.advance(HOUR);
    expect(pool.minutes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(pool.existing).toBe(10);
  });

  it("of 4 at 25 % launches one browser per minute", () => {
    const pool = new Simulation({ size: 4, rate: 25 });
    pool.advance(HOUR);
    expect(pool.minutes).toEqual([0, 1, 2, 3]);
  });

  it("of 1 at 1 % launches its browser immediately", () => {
    const pool = new Simulation({ size: 1, rate: 1 });
    expect(pool.minutes).toEqual([0]);
    expect(pool.wakeAt).toBeUndefined();
  });

  it("of 100 at 25 % launches 25 browsers per minute, evenly spread", () => {
    const pool = new Simulation({ size: 100, rate: 25 });
    pool.advance(HOUR);
    expect(pool.launchedAt).toEqual(Array.from({ length: 100 }, (_, index) => index * 2400));
  });

  it.each([
    [3, 25],
    [7, 13],
    [9, 11],
    [1000, 25],
  ])("of %i at %i percent fills evenly despite a fractional interval", (size, rate) => {
    const pool = new Simulation({ size, rate });
    pool.advance(24 * HOUR);
    expect(pool.launchedAt).toHaveLength(size);
    for (const [index, at] of pool.launchedAt.entries()) {
      // The clock counts whole milliseconds.
      expect(at - index * pool.interval).toBeGreaterThanOrEqual(-0.001);
      expect(at - index * pool.interval).toBeLessThan(1.001);
    }
  });

  it("is not filled at 0 % and sets no wake-up", () => {
    const pool = new Simulation({ size: 4, rate: 0 });
    expect(pool.wakeAt).toBeUndefined();
    pool.sleep(HOUR);
    expect(pool.launchedAt).toEqual([]);
  });
});

describe("a full pool", () => {
  it("launches nothing and sets no wake-up, even when owed browsers", () => {
    const pool = new Simulation({ size: 4, rate: 25, existing: 4, state: { owed: 3 } });
    expect([pool.launchedAt, pool.wakeAt]).toEqual([[], undefined]);
    pool.sleep(HOUR);
    expect([pool.launchedAt, pool.wakeAt]).toEqual([[], undefined]);
  });

  it("launches nothing above its size", () => {
    const pool = new Simulation({ size: 2, rate: 25, existing: 4 });
    pool.crash();
    pool.crash();
    expect(pool.launchedAt).toEqual([]);
    pool.crash();
    expect(pool.launchedAt).toEqual([0]);
  });

  it("replaces one lost browser immediately and the second an interval later", () => {
    const pool = new Simulation({ size: 4, rate: 25, existing: 4 });
    pool.advance(HOUR);
    pool.crash(2);
    pool.advance(HOUR);
    expect(pool.minutes).toEqual([60, 61]);
  });

  it("does not exceed its rate when browsers are lost repeatedly", () => {
    const pool = new Simulation({ size: 4, rate: 25, existing: 4 });
    for (let second = 0; second < 600; second += 1) {
      if (pool.existing > 0) pool.crash();
      pool.advance(1000);
    }
    // One immediately, then one per minute.
    expect(pool.minutes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("counts as full from the launch of its last browser", () => {
    const pool = new Simulation({ size: 4, rate: 25, existing: 3, isInstant: false });
    pool.advance(10 * MINUTE);
    pool.crash(3);
    expect(pool.minutes).toEqual([0, 10]);
  });

  it("does not launch sooner after being full briefly", () => {
    const pool = new Simulation({ size: 2, rate: 25 });
    pool.advance(2 * MINUTE);
    pool.crash();
    pool.advance(MINUTE);
    expect(pool.minutes).toEqual([0, 2]);
    pool.advance(MINUTE);
    expect(pool.minutes).toEqual([0, 2, 4]);
  });
});

describe("owed browsers", () => {
  it("are launched immediately at any rate once the ones they replace have left", () => {
    const pool = new Simulation({ size: 3, rate: 1, existing: 3 });
    pool.discard(3);
    expect(pool.launchedAt).toEqual([]);
    pool.leave(1);
    pool.leave(2);
    expect(pool.launchedAt).toEqual([0, 0, 0]);
    expect(pool.state.owed).toBe(0);
  });

  it("are kept while the ones they replace are still leaving", () => {
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

  it("respect the limit of concurrent launches", () => {
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
    pool.crash(2);
    pool.advance(HOUR);
    expect(pool.minutes).toEqual([0, 0, 0, 1]);
  });

  it("do not exceed the size", () => {
    const pool = new Simulation({ size: 4, rate: 0, existing: 4 });
    pool.discard(4);
    pool.configure({ size: 1 });
    pool.leave();
    pool.sleep(HOUR);
    expect(pool.launchedAt).toEqual([0]);
    pool.crash();
    expect(pool.launchedAt).toEqual([0]);
  });

  it("are dropped when the pool is full", () => {
    const pool = new Simulation({ size: 2, rate: 0, existing: 2, state: { owed: 5 } });
    expect(pool.state.owed).toBe(0);
    pool.crash(2);
    expect(pool.launchedAt).toEqual([]);
  });
});

describe("after a failed launch", () => {
  it("nothing is launched before the back-off ends", () => {
    const pool = new Simulation({ size: 10, rate: 25, isInstant: false });
    pool.fail(5 * MINUTE);
    expect([pool.launching, pool.wakeAt]).toEqual([0, START + 5 * MINUTE]);
    pool.sleep(5 * MINUTE - 1);
    expect([pool.launching, pool.wakeAt]).toEqual([0, START + 5 * MINUTE]);
    pool.advance(1);
    expect(pool.launching).toBe(1);
  });

  it("a single launch probes whether launches succeed again", () => {
    const pool = new Simulation({ size: 10, rate: 25, isInstant: false });
    pool.fail(MINUTE);
    pool.advance(MINUTE);
    pool.sleep(10 * MINUTE);
    expect(pool.launching).toBe(1);
    pool.fail(2 * MINUTE);
    pool.sleep(MINUTE);
    expect(pool.launching).toBe(0);
    pool.advance(HOUR);
    expect(pool.launching).toBe(1);
    pool.complete();
    expect(pool.launching).toBe(MAX_CONCURRENT_LAUNCHES);
  });

  it("nothing is launched while others are in progress", () => {
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

  it("the pool wakes up even at 0 %", () => {
    const pool = new Simulation({ size: 1, rate: 0, existing: 1, isInstant: false });
    pool.discard(1);
    pool.leave();
    pool.fail(MINUTE);
    expect(pool.wakeAt).toBe(START + MINUTE);
    pool.advance(MINUTE);
    expect(pool.launching).toBe(1);
  });
});

describe("a reconfigured pool", () => {
  it("fills at a higher rate from then on", () => {
    const pool = new Simulation({ size: 4, rate: 1 });
    pool.advance(5 * MINUTE);
    pool.configure({ rate: 25 });
    pool.advance(HOUR);
    expect(pool.minutes).toEqual([0, 6, 7, 8]);
  });

  it("fills at a higher rate while it plans for other reasons", () => {
    const pool = new Simulation({ size: 4, rate: 1 });
    pool.configure({ rate: 25 });
    for (let second = 0; second < 180; second += 1) pool.sleep(1000);
    expect(pool.minutes).toEqual([0, 1, 2, 3]);
  });

  it("fills at the interval of a larger size from then on", () => {
    const pool = new Simulation({ size: 1, rate: 25 });
    pool.configure({ size: 4 });
    pool.advance(HOUR);
    expect(pool.minutes).toEqual([0, 1, 2, 3]);
  });

  it("keeps its next launch time before it fills at a lower rate", () => {
    const pool = new Simulation({ size: 4, rate: 25 });
    pool.configure({ rate: 5 });
    pool.advance(HOUR);
    expect(pool.minutes).toEqual([0, 1, 6, 11]);
  });

  it("does not burst after a pause of an hour", () => {
    const pool = new Simulation({ size: 4, rate: 25 });
    pool.configure({ rate: 0 });
    expect(pool.wakeAt).toBeUndefined();
    pool.advance(HOUR);
    pool.configure({ rate: 25 });
    pool.advance(HOUR);
    expect(pool.minutes).toEqual([0, 60, 61, 62]);
  });

  it("does not fill sooner after short pauses", () => {
    const pool = new Simulation({ size: 4, rate: 25 });
    for (let second = 0; second < 120; second += 1) {
      pool.configure({ rate: 0 });
      pool.advance(500);
      pool.configure({ rate: 25 });
      pool.advance(500);
    }
    expect(pool.launchedAt.filter((at) => at < 2 * MINUTE)).toHaveLength(2);
  });

  it("stops filling at a smaller size", () => {
    const pool = new Simulation({ size: 10, rate: 10 });
    pool.advance(2 * MINUTE);
    pool.configure({ size: 2 });
    pool.advance(HOUR);
    expect(pool.minutes).toEqual([0, 1, 2]);
  });
});

describe("after downtime", () => {
  it("overdue browsers are launched immediately, then the rate applies", () => {
    const pool = new Simulation({ size: 10, rate: 10 });
    pool.sleep(3 * MINUTE + MINUTE / 2);
    expect(pool.minutes).toEqual([0, 3.5, 3.5, 3.5]);
    pool.advance(MINUTE);
    expect(pool.minutes).toEqual([0, 3.5, 3.5, 3.5, 4]);
  });

  it("the limit of concurrent launches applies", () => {
    const pool = new Simulation({ size: 10, rate: 10, isInstant: false });
    pool.sleep(HOUR);
    expect(pool.launching).toBe(MAX_CONCURRENT_LAUNCHES);
    while (pool.launching > 0) pool.complete();
    expect(pool.existing).toBe(10);
  });

  it("a pool that was full has nothing overdue", () => {
    const pool = new Simulation({ size: 4, rate: 25, existing: 4 });
    pool.sleep(HOUR);
    pool.crash(4);
    pool.advance(0);
    expect(pool.minutes).toEqual([60]);
  });

  it("a slightly late pool returns to its schedule", () => {
    const pool = new Simulation({ size: 4, rate: 25 });
    pool.sleep(MINUTE + 700);
    pool.advance(HOUR);
    expect(pool.launchedAt).toEqual([0, MINUTE + 700, 2 * MINUTE, 3 * MINUTE]);
  });
});

type Step =
  | { kind: "advance" | "sleep"; milliseconds: number }
  | { kind: "crash" | "complete" | "discard" | "leave"; count: number }
  | { kind: "fail"; milliseconds: number };

const duration = fc.oneof(fc.nat(10_000), fc.nat(10 * MINUTE));
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("advance", "advance", "sleep", "fail"), milliseconds: duration }),
    fc.record({
      kind: fc.constantFrom("crash", "complete", "complete", "discard", "leave"),
      count: fc.integer({ min: 1, max: 5 }),
    }),
  ),
  { maxLength: 60 },
);

/** Applies a step as far as possible. @returns how many browsers it makes owed. */
function doStep(pool: Simulation, step: Step): number {
  const staying = pool.existing - pool.launching - pool.leaving;
  switch (step.kind) {
    case "advance":
      pool.advance(step.milliseconds);
      return 0;
    case "sleep":
      pool.sleep(step.milliseconds);
      return 0;
    case "crash":
      pool.crash(Math.min(step.count, staying));
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

describe("a pool with random events", () => {
  const settings = fc.record({
    size: fc.integer({ min: 1, max: 30 }),
    rate: fc.integer({ min: 0, max: 25 }),
  });

  it("never exceeds its size or the limit of concurrent launches", () => {
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

  it("sets a future wake-up while it lacks browsers", () => {
    fc.assert(
      fc.property(settings, steps, (options, all) => {
        const pool = new Simulation({ ...options, isInstant: false });
        for (const step of all) {
          doStep(pool, step);
          if (pool.wakeAt !== undefined && step.kind !== "advance") {
            expect(pool.wakeAt).toBeGreaterThan(pool.now);
          }
          const isMissing = pool.existing < pool.size && (pool.rate > 0 || pool.state.owed > 0);
          // A completed launch plans again.
          if (isMissing && pool.launching === 0) expect(pool.wakeAt).toBeDefined();
        }
      }),
      { numRuns: 500 },
    );
  });

  it("respects its rate from any moment on schedule, except for owed browsers", () => {
    fc.assert(
      fc.property(settings, steps, (options, all) => {
        const pool = new Simulation({ ...options, isInstant: false });
        /** Moments with nothing overdue, and what was launched or allowed beyond the rate until then. */
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

  it("fills up as soon as its rate allows when launches succeed", () => {
    fc.assert(
      fc.property(settings, steps, ({ size, rate }, all) => {
        const pool = new Simulation({ size, rate: rate + 1, isInstant: false });
        for (const step of all) doStep(pool, step);
        pool.leave();
        const from = Math.max(pool.now, pool.state.backOffUntil);
        let waits = 0;
        while (pool.existing < pool.size || pool.launching > 0) {
          if (pool.launching > 0) pool.complete();
          else if (pool.wakeAt !== undefined) pool.advance(Math.max(0, Math.ceil(pool.wakeAt) - pool.now));
          waits += 1;
          expect(waits).toBeLessThan(1000);
        }
        // The clock counts whole milliseconds.
        expect(pool.now - from).toBeLessThanOrEqual(size * pool.interval + 2);
      }),
      { numRuns: 300 },
    );
  });
});
