import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Place, WaitQueue } from "../../src/browser-pools/wait-queue.ts";

/** Longer than any test takes. */
const LONG_MS = 60_000;
const SHORT_MS = 5;

/** A line for numbered things, and what of them is free. */
function newLine(...free: number[]) {
  const line = new WaitQueue<number>(() => free.shift());
  const put = (thing: number) => {
    free.push(thing);
    line.dispatch();
  };
  return { line, free, put };
}

describe("a waiting line", () => {
  it("gives what is free at once, without a wait", async () => {
    const { line, free } = newLine(1, 2);
    using turn = line.join("a", 0);
    expect(await turn.next()).toBe(1);
    expect(free).toEqual([2]);
  });

  it("gives nothing at once to somebody who does not wait, when nothing is free", async () => {
    const { line, free, put } = newLine();
    using turn = line.join("a", 0);
    expect(await turn.next()).toBeUndefined();
    put(1);
    expect(free).toEqual([1]);
  });

  it("serves those who wait in the order in which they came", async () => {
    const { line, put } = newLine();
    const turns = ["a", "b", "c"].map((id) => line.join(id, LONG_MS));
    const served = turns.map((turn) => turn.next());
    for (const thing of [1, 2, 3]) put(thing);
    expect(await Promise.all(served)).toEqual([1, 2, 3]);
  });

  it("serves as many as there is for", async () => {
    const { line, free } = newLine();
    const turns = ["a", "b", "c"].map((id) => line.join(id, LONG_MS));
    const served = turns.map((turn) => turn.next());
    free.push(1, 2);
    line.dispatch();
    line.cancel("c");
    expect(await Promise.all(served)).toEqual([1, 2, undefined]);
  });

  it("does not let who comes last have what others wait for", async () => {
    const { line, free } = newLine();
    using first = line.join("a", LONG_MS);
    const served = first.next();
    // Became free, and whoever comes next is there before anybody was served.
    free.push(1);
    using second = line.join("b", 0);
    expect(await second.next()).toBeUndefined();
    expect(await served).toBe(1);
  });

  it("gives up on somebody whose time is up, and goes on with the next", async () => {
    const { line, put } = newLine();
    using hasty = line.join("a", SHORT_MS);
    using patient = line.join("b", LONG_MS);
    const served = patient.next();
    expect(await hasty.next()).toBeUndefined();
    put(1);
    expect(await served).toBe(1);
  });

  it("counts the time from when somebody joined, however often they ask", async () => {
    const { line, put } = newLine();
    const before = Date.now();
    using turn = line.join("a", 40);
    const served = turn.next();
    put(1);
    expect(await served).toBe(1);
    expect(await turn.next()).toBeUndefined();
    expect(await turn.next()).toBeUndefined();
    expect(Date.now() - before).toBeLessThan(1000);
  });

  it("still gives what is free to somebody who asks again after their time", async () => {
    const { line, put } = newLine();
    using turn = line.join("a", 0);
    expect(await turn.next()).toBeUndefined();
    put(1);
    expect(await turn.next()).toBe(1);
  });

  it("keeps the place of somebody who asks again, before those who came later", async () => {
    const { line, put } = newLine();
    using first = line.join("a", LONG_MS);
    using second = line.join("b", LONG_MS);
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

  it("passes over somebody who is busy with what they were given", async () => {
    const { line, put } = newLine();
    using first = line.join("a", LONG_MS);
    using second = line.join("b", LONG_MS);
    const given = first.next();
    const served = second.next();
    put(1);
    put(2);
    expect(await Promise.all([given, served])).toEqual([1, 2]);
  });

  it("lets somebody leave who waits, and gives them nothing from then on", async () => {
    const { line, free, put } = newLine();
    using turn = line.join("a", LONG_MS);
    const served = turn.next();
    expect(turn.isCancelled).toBe(false);
    line.cancel("a");
    put(1);
    expect(await served).toBeUndefined();
    expect(turn.isCancelled).toBe(true);
    expect(await turn.next()).toBeUndefined();
    expect(free).toEqual([1]);
  });

  it("lets somebody leave before they ask", async () => {
    const { line, free } = newLine(1);
    using turn = line.join("a", LONG_MS);
    line.cancel("a");
    expect(await turn.next()).toBeUndefined();
    expect(free).toEqual([1]);
  });

  it("tells whoever left in the moment of being served, so that nothing is lost", async () => {
    const { line, put } = newLine();
    using turn = line.join("a", LONG_MS);
    const served = turn.next();
    put(1);
    line.cancel("a");
    expect(await served).toBe(1);
    expect(turn.isCancelled).toBe(true);
  });

  it("takes no notice of somebody leaving who is not there", async () => {
    const { line, put } = newLine();
    using turn = line.join("a", LONG_MS);
    const served = turn.next();
    line.cancel("b");
    put(1);
    expect(await served).toBe(1);
  });

  it("can be left by all at once", async () => {
    const { line, free, put } = newLine();
    const turns = ["a", "b", "c"].map((id) => line.join(id, LONG_MS));
    const served = turns.map((turn) => turn.next());
    line.cancelAll();
    put(1);
    expect(await Promise.all(served)).toEqual([undefined, undefined, undefined]);
    expect(turns.map(({ isCancelled }) => isCancelled)).toEqual([true, true, true]);
    expect(free).toEqual([1]);
  });

  it("is as long as there are people in it, served or not", async () => {
    const { line } = newLine(1);
    expect(line.length).toBe(0);
    const first = line.join("a", LONG_MS);
    const second = line.join("b", LONG_MS);
    expect(line.length).toBe(2);
    await first.next();
    expect(line.length).toBe(2);
    first[Symbol.dispose]();
    expect(line.length).toBe(1);
    line.cancel("b");
    second[Symbol.dispose]();
    expect(line.length).toBe(0);
  });

  it("has nobody else out when a place is given up twice", async () => {
    const { line, put } = newLine();
    const first = line.join("a", LONG_MS);
    using second = line.join("b", LONG_MS);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(line.length).toBe(1);
    const served = second.next();
    put(1);
    line.cancelAll();
    expect(await served).toBe(1);
  });

  it("neither loses nor doubles anything that becomes free as people's time is up", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("join" as const), waitMs: fc.constantFrom(0, 0, 1, 2, LONG_MS) }),
      fc.record({ kind: fc.constant("put" as const) }),
      fc.record({ kind: fc.constant("leave" as const), who: fc.nat(30) }),
      // A turn of the event loop, in which timers fire.
      fc.record({ kind: fc.constant("turn" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { line, free, put } = newLine();
        const served: Promise<number | undefined>[] = [];
        let things = 0;
        const ask = async (turn: Place<number>) => {
          using asked = turn;
          return await asked.next();
        };
        for (const { kind, ...details } of steps) {
          if (kind === "join" && "waitMs" in details) {
            served.push(ask(line.join(String(served.length), details.waitMs)));
          }
          if (kind === "put") {
            things += 1;
            put(things);
          }
          if (kind === "leave" && "who" in details) line.cancel(String(details.who));
          if (kind === "turn") await new Promise((resolve) => setTimeout(resolve, 0));
        }
        line.cancelAll();
        const given = (await Promise.all(served)).filter((thing) => thing !== undefined);
        const all = [...given, ...free].sort((first, second) => first - second);
        expect(all).toEqual(Array.from({ length: things }, (_, index) => index + 1));
        expect(line.length).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
