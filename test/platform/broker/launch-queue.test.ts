import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LaunchQueue, type QueuedLaunch } from "../../../src/platform/broker/launch-queue.ts";

let last = 0;

function launch(organizationId: string, given: Partial<QueuedLaunch> = {}): QueuedLaunch {
  last += 1;
  return { id: `l${last}`, organizationId, weight: 1, kind: "session", deadline: 1000, ...given };
}

function queueOf(...launches: QueuedLaunch[]): LaunchQueue<QueuedLaunch> {
  const queue = new LaunchQueue<QueuedLaunch>();
  for (const next of launches) queue.add(next);
  return queue;
}

function drain(queue: LaunchQueue<QueuedLaunch>, count = queue.size): QueuedLaunch[] {
  return Array.from({ length: count }, () => queue.take()).filter((next) => next !== undefined);
}

const owners = (launches: QueuedLaunch[]) => launches.map(({ organizationId }) => organizationId).join("");

describe("a queue of launches", () => {
  it.each<[string, QueuedLaunch[], string]>([
    ["is empty", [], ""],
    ["keeps the order of one organization", [launch("a"), launch("a")], "aa"],
    ["alternates between organizations", [..."aaabb"].map((id) => launch(id)), "ababa"],
    ["lets a late organization in", [..."aaaab"].map((id) => launch(id)), "abaaa"],
    [
      "serves twice the weight twice as often",
      [..."aaaabb"].map((id) => launch(id, { weight: id === "a" ? 2 : 1 })),
      "abaaba",
    ],
    [
      "shares between sessions and pools, and serves standby browsers last",
      [launch("s", { kind: "standby" }), launch("c"), launch("c"), launch("p", { kind: "pool" })],
      "cpcs",
    ],
  ])("%s", (_, launches, expected) => {
    expect(owners(drain(queueOf(...launches)))).toBe(expected);
  });

  it("serves an organization's sessions before its pools", () => {
    const [pool, session] = [launch("a", { kind: "pool" }), launch("a")];
    expect(drain(queueOf(pool, session))).toEqual([session, pool]);
  });

  it("earns nothing for time without launches", () => {
    const queue = queueOf(...[..."aaaa"].map((id) => launch(id)));
    drain(queue, 2);
    for (const id of "bbb") queue.add(launch(id));
    expect(owners(drain(queue))).toBe("babab");
  });

  it("does not forget what an organization got while others wait", () => {
    const queue = queueOf(launch("a"), launch("b"), launch("b"));
    drain(queue, 1);
    queue.add(launch("a"));
    expect(owners(drain(queue))).toBe("bba");
  });

  it("returns a launch to its place", () => {
    const queue = queueOf(...[..."aab"].map((id) => launch(id)));
    const [taken] = drain(queue, 1);
    if (taken === undefined) throw new Error("nothing was taken");
    queue.putBack(taken);
    expect(drain(queue, 1)).toEqual([taken]);
    expect(owners(drain(queue))).toBe("ba");
  });

  it("does not let an organization pay for launches that left the queue", () => {
    const left = [launch("a"), launch("a"), launch("a")];
    const queue = queueOf(launch("b"), ...left, launch("a"), launch("b"));
    for (const { id } of left.slice(0, 2)) queue.remove(id);
    queue.remove(left[2]?.id ?? "");
    queue.add(launch("a"));
    expect(owners(drain(queue))).toBe("baba");
  });

  it("returns two launches in their order", () => {
    const queue = queueOf(launch("a"), launch("a"), launch("a"));
    const taken = drain(queue, 2);
    for (const next of taken) queue.putBack(next);
    expect(drain(queue, 2)).toEqual(taken);
  });

  it("removes a launch, and those whose deadline is too early", () => {
    const [first, second, third] = [launch("a"), launch("a", { deadline: 500 }), launch("b")];
    const queue = queueOf(first, second, third);
    queue.remove(first.id);
    expect([queue.size, queue.nextDeadline]).toEqual([2, 500]);
    expect(queue.takeHopeless(499)).toEqual([]);
    expect(queue.takeHopeless(500)).toEqual([second]);
    expect([queue.size, queue.nextDeadline]).toEqual([1, 1000]);
    expect(drain(queue)).toEqual([third]);
    expect(queue.nextDeadline).toBe(Number.POSITIVE_INFINITY);
  });

  it("says how many launches are ahead of a new one", () => {
    fc.assert(
      fc.property(traffic(), launchArbitrary(), (launches, wanted) => {
        const queue = queueOf(...launches);
        const next = launch(wanted.organizationId, wanted);
        const ahead = queue.ahead(next);
        queue.add(next);
        expect(drain(queue).indexOf(next)).toBe(ahead);
      }),
    );
  });

  it("loses and invents nothing", () => {
    fc.assert(
      fc.property(traffic(), (launches) => {
        const served = drain(queueOf(...launches));
        expect(new Set(served)).toEqual(new Set(launches));
        expect(served).toHaveLength(launches.length);
      }),
    );
  });

  it("gives waiting organizations shares in proportion to their weights", () => {
    const weights = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 60 }), (given, slots) => {
        // Each organization has more launches than there are slots, so all of them wait to the end.
        const ids = given.map((_, index) => String(index));
        const launches = ids.flatMap((id) =>
          Array.from({ length: slots + 1 }, () => launch(id, { weight: given[Number(id)] })),
        );
        const served = drain(queueOf(...launches), slots);
        const shares = given.map(
          (weight, index) =>
            served.filter(({ organizationId }) => organizationId === String(index)).length / weight,
        );
        // No organization is more than one launch ahead of another.
        const most = Math.max(...shares);
        const least = Math.min(...shares);
        expect(most - least).toBeLessThanOrEqual(2 / Math.min(...given) + 1e-9);
      }),
    );
  });
});

function launchArbitrary() {
  return fc.record({
    organizationId: fc.constantFrom("a", "b", "c"),
    kind: fc.constantFrom("session" as const, "pool" as const),
    weight: fc.constant(1),
  });
}

function traffic() {
  return fc
    .array(launchArbitrary(), { maxLength: 40 })
    .map((given) => given.map((one) => launch(one.organizationId, one)));
}
