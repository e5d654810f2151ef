import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ActivityRow } from "../../../src/features/sessions/activity-row.ts";
import type { SessionActivity } from "../../../src/features/sessions/store.ts";

const START = 1_000_000;

let present: SessionActivity | undefined;
let written: SessionActivity[];
let failures: unknown[];
let write: (activity: SessionActivity) => Promise<void>;
let row: ActivityRow;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  present = { clients: 0, viewers: 0, handoffs: null, idleSince: START };
  written = [];
  failures = [];
  write = async (activity) => void written.push(activity);
  row = new ActivityRow({
    read: () => present && { ...present },
    write: (activity) => write(activity),
    inBackground: (_, work) => void work.catch((error) => failures.push(error)),
  });
});

afterEach(() => {
  row.close();
});

function change(activity: Partial<SessionActivity>): void {
  if (present !== undefined) Object.assign(present, activity);
  row.update();
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe("the activity in a session's row", () => {
  it("has the counts of a second ago, from one write", async () => {
    change({ clients: 1, idleSince: null });
    change({ clients: 2 });
    await pass(500);
    change({ viewers: 1 });
    expect(written).toEqual([]);
    await pass(500);
    expect(written).toEqual([{ clients: 2, viewers: 1, handoffs: null, idleSince: null }]);
    await pass(60_000);
    expect(written).toHaveLength(1);
  });

  it("says that it is in use, also without clients and viewers", async () => {
    change({ idleSince: null });
    await pass(15_000);
    expect(written).toEqual([{ clients: 0, viewers: 0, handoffs: null, idleSince: null }]);
  });

  it("is not written when the counts are as before in the end", async () => {
    change({ clients: 1, idleSince: null });
    await pass(1000);
    change({ clients: 2 });
    change({ clients: 1 });
    await pass(1000);
    expect(written).toHaveLength(1);
  });

  it("has a new idle time every 15 seconds at most", async () => {
    for (let second = 1; second <= 60; second += 1) {
      await pass(1000);
      change({ idleSince: null });
      change({ idleSince: Date.now() });
    }
    expect(written.length).toBeGreaterThanOrEqual(3);
    expect(written.length).toBeLessThanOrEqual(4);
    await pass(15_000);
    expect(written.at(-1)).toEqual({ clients: 0, viewers: 0, handoffs: null, idleSince: START + 60_000 });
  });

  it("does not wait for the idle time's turn when the counts change", async () => {
    change({ idleSince: START + 1 });
    await pass(500);
    change({ clients: 1 });
    await pass(1000);
    expect(written).toEqual([{ clients: 1, viewers: 0, handoffs: null, idleSince: START + 1 }]);
  });

  it("has the last change, even if a write takes long", async () => {
    const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    write = (activity) => {
      written.push(activity);
      return answers[written.length - 1]?.promise ?? Promise.resolve();
    };
    change({ clients: 1 });
    await pass(1000);
    change({ clients: 2 });
    await pass(5000);
    expect(written.map(({ clients }) => clients)).toEqual([1]);
    answers[0]?.resolve();
    await pass(1000);
    expect(written.map(({ clients }) => clients)).toEqual([1, 2]);
  });

  it("is written again after a failure, 15 seconds later", async () => {
    const failure = new Error("no database");
    write = () => Promise.reject(failure);
    change({ clients: 1 });
    await pass(1000);
    expect(failures).toEqual([failure]);
    write = async (activity) => void written.push(activity);
    await pass(14_000);
    expect(written).toEqual([]);
    await pass(1000);
    expect(written).toEqual([{ clients: 1, viewers: 0, handoffs: null, idleSince: START }]);
  });

  it("is corrected after a restart", async () => {
    row.restore();
    await pass(1000);
    expect(written).toEqual([{ clients: 0, viewers: 0, handoffs: null, idleSince: START }]);
  });

  it("stays as it is once the session has ended", async () => {
    change({ clients: 1 });
    present = undefined;
    row.update();
    await pass(60_000);
    expect(written).toEqual([]);
  });

  it("has no timer after the connections are closed", () => {
    change({ clients: 1 });
    row.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
