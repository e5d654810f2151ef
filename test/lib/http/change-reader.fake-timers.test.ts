import { beforeEach, describe, expect, it, vi } from "vitest";
import { ChangeReader } from "../../../src/lib/http/change-reader.ts";

let state: object | undefined;
let reads: number;
let failures: unknown[];
let reader: ChangeReader<object, { shown: object }>;

beforeEach(() => {
  vi.useFakeTimers();
  state = { a: 1 };
  reads = 0;
  failures = [];
  reader = new ChangeReader({
    read: async () => {
      reads += 1;
      if (state instanceof Error) throw state;
      return state;
    },
    present: async (shown) => ({ shown }),
    onFailure: (error) => failures.push(error),
    intervalMs: 2000,
    maxMs: 60_000,
  });
});

describe("a reader of changes", () => {
  it("has the first state at once, and then each that differs", async () => {
    expect(await reader.next()).toEqual({ shown: { a: 1 } });
    const second = reader.next();
    await vi.advanceTimersByTimeAsync(3000);
    state = { a: 2 };
    await vi.advanceTimersByTimeAsync(1000);
    expect(await second).toEqual({ shown: { a: 2 } });
    expect(reads).toBe(3);
  });

  it("reads once in an interval, even if every state differs", async () => {
    for (let a = 0; a < 3; a += 1) {
      const next = reader.next();
      await vi.advanceTimersByTimeAsync(2000);
      await next;
      state = { a };
    }
    expect(reads).toBe(3);
  });

  it("ends after its longest time", async () => {
    await reader.next();
    const end = reader.next();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await end).toBeUndefined();
    expect(reads).toBe(30);
  });

  it("ends when there is no state any more", async () => {
    await reader.next();
    state = undefined;
    const end = reader.next();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await end).toBeUndefined();
  });

  it("ends at once when it is closed, and leaves no timer", async () => {
    await reader.next();
    const end = reader.next();
    reader.close();
    expect(await end).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
    expect(await reader.next()).toBeUndefined();
    expect(reads).toBe(1);
  });

  it("ends with a failure, which it reports", async () => {
    state = new Error("no database");
    expect(await reader.next()).toBeUndefined();
    expect(failures).toEqual([state]);
  });
});
