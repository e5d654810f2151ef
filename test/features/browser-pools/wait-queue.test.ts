import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Place, WaitQueue } from "../../../src/features/browser-pools/wait-queue.ts";

/** Longer than any test takes. */
const LONG_MS = 60_000;
const SHORT_MS = 5;

function newQueue(...free: number[]) {
  const queue = new WaitQueue<number>(() => free.shift());
  const put = (item: number) => {
    free.push(item);
    queue.dispatch();
  };
  return { queue, free, put };
}

describe("WaitQueue", () => {
  it("returns a free item immediately", async () => {
    const { queue, free } = newQueue(1, 2);
    using place = queue.join("a", 0);
    expect(await place.next()).toBe(1);
    expect(free).toEqual([2]);
  });

  it("returns nothing immediately when the client does not wait", async () => {
    const { queue, free, put } = newQueue();
    using place = queue.join("a", 0);
    expect(await place.next()).toBeUndefined();
    put(1);
    expect(free).toEqual([1]);
  });

  it("serves clients in order of arrival", async () => {
    const { queue, put } = newQueue();
    const places = ["a", "b", "c"].map((id) => queue.join(id, LONG_MS));
    const served = places.map((place) => place.next());
    for (const item of [1, 2, 3]) put(item);
    expect(await Promise.all(served)).toEqual([1, 2, 3]);
  });

  it("serves as many clients as there are items", async () => {
    const { queue, free } = newQueue();
    const places = ["a", "b", "c"].map((id) => queue.join(id, LONG_MS));
    const served = places.map((place) => place.next());
    free.push(1, 2);
    queue.dispatch();
    queue.cancel("c");
    expect(await Promise.all(served)).toEqual([1, 2, undefined]);
  });

  it("does not let a new client overtake waiting ones", async () => {
    const { queue, free } = newQueue();
    using first = queue.join("a", LONG_MS);
    const served = first.next();
    // The item is free, but nothing was dispatched when the next client joins.
    free.push(1);
    using second = queue.join("b", 0);
    expect(await second.next()).toBeUndefined();
    expect(await served).toBe(1);
  });

  it("skips a client that timed out", async () => {
    const { queue, put } = newQueue();
    using hasty = queue.join("a", SHORT_MS);
    using patient = queue.join("b", LONG_MS);
    const served = patient.next();
    expect(await hasty.next()).toBeUndefined();
    put(1);
    expect(await served).toBe(1);
  });

  it("counts the timeout from joining, not from each request", async () => {
    const { queue, put } = newQueue();
    const before = Date.now();
    using place = queue.join("a", 40);
    const served = place.next();
    put(1);
    expect(await served).toBe(1);
    expect(await place.next()).toBeUndefined();
    expect(await place.next()).toBeUndefined();
    expect(Date.now() - before).toBeLessThan(1000);
  });

  it("returns a free item even after the timeout", async () => {
    const { queue, put } = newQueue();
    using place = queue.join("a", 0);
    expect(await place.next()).toBeUndefined();
    put(1);
    expect(await place.next()).toBe(1);
  });

  it("keeps the place of a client that asks again", async () => {
    const { queue, put } = newQueue();
    using first = queue.join("a", LONG_MS);
    using second = queue.join("b", LONG_MS);
    const bad = first.next();
    const served = second.next();
    put(1);
    expect(await bad).toBe(1);
    const good = first.next();
    put(2);
    expect(await good).toBe(2);
    put(3);
    expect(await served).toBe(3);
  });

  it("skips a client that is busy with its item", async () => {
    const { queue, put } = newQueue();
    using first = queue.join("a", LONG_MS);
    using second = queue.join("b", LONG_MS);
    const given = first.next();
    const served = second.next();
    put(1);
    put(2);
    expect(await Promise.all([given, served])).toEqual([1, 2]);
  });

  it("gives nothing to a cancelled client", async () => {
    const { queue, free, put } = newQueue();
    using place = queue.join("a", LONG_MS);
    const served = place.next();
    expect(place.isCancelled).toBe(false);
    queue.cancel("a");
    put(1);
    expect(await served).toBeUndefined();
    expect(place.isCancelled).toBe(true);
    expect(await place.next()).toBeUndefined();
    expect(free).toEqual([1]);
  });

  it("supports cancelling before the first request", async () => {
    const { queue, free } = newQueue(1);
    using place = queue.join("a", LONG_MS);
    queue.cancel("a");
    expect(await place.next()).toBeUndefined();
    expect(free).toEqual([1]);
  });

  it("reports a cancellation at the moment of being served, so that nothing is lost", async () => {
    const { queue, put } = newQueue();
    using place = queue.join("a", LONG_MS);
    const served = place.next();
    put(1);
    queue.cancel("a");
    expect(await served).toBe(1);
    expect(place.isCancelled).toBe(true);
  });

  it("ignores cancelling an unknown client", async () => {
    const { queue, put } = newQueue();
    using place = queue.join("a", LONG_MS);
    const served = place.next();
    queue.cancel("b");
    put(1);
    expect(await served).toBe(1);
  });

  it("cancels all clients", async () => {
    const { queue, free, put } = newQueue();
    const places = ["a", "b", "c"].map((id) => queue.join(id, LONG_MS));
    const served = places.map((place) => place.next());
    queue.cancelAll();
    put(1);
    expect(await Promise.all(served)).toEqual([undefined, undefined, undefined]);
    expect(places.map(({ isCancelled }) => isCancelled)).toEqual([true, true, true]);
    expect(free).toEqual([1]);
  });

  it("counts all clients in its length, served or not", async () => {
    const { queue } = newQueue(1);
    expect(queue.length).toBe(0);
    const first = queue.join("a", LONG_MS);
    const second = queue.join("b", LONG_MS);
    expect(queue.length).toBe(2);
    await first.next();
    expect(queue.length).toBe(2);
    first[Symbol.dispose]();
    expect(queue.length).toBe(1);
    queue.cancel("b");
    second[Symbol.dispose]();
    expect(queue.length).toBe(0);
  });

  it("ignores a second disposal of a place", async () => {
    const { queue, put } = newQueue();
    const first = queue.join("a", LONG_MS);
    using second = queue.join("b", LONG_MS);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(queue.length).toBe(1);
    const served = second.next();
    put(1);
    queue.cancelAll();
    expect(await served).toBe(1);
  });

  it("neither loses nor duplicates items while clients time out", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("join" as const), waitMs: fc.constantFrom(0, 0, 1, 2, LONG_MS) }),
      fc.record({ kind: fc.constant("put" as const) }),
      fc.record({ kind: fc.constant("leave" as const), who: fc.nat(30) }),
      // A turn of the event loop, in which timers fire.
      fc.record({ kind: fc.constant("turn" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { queue, free, put } = newQueue();
        const served: Promise<number | undefined>[] = [];
        let items = 0;
        const take = async (joined: Place<number>) => {
          using place = joined;
          return await place.next();
        };
        for (const { kind, ...details } of steps) {
          if (kind === "join" && "waitMs" in details) {
            served.push(take(queue.join(String(served.length), details.waitMs)));
          }
          if (kind === "put") {
            items += 1;
            put(items);
          }
          if (kind === "leave" && "who" in details) queue.cancel(String(details.who));
          if (kind === "turn") await new Promise((resolve) => setTimeout(resolve, 0));
        }
        queue.cancelAll();
        const given = (await Promise.all(served)).filter((item) => item !== undefined);
        const all = [...given, ...free].sort((first, second) => first - second);
        expect(all).toEqual(Array.from({ length: items }, (_, index) => index + 1));
        expect(queue.length).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
