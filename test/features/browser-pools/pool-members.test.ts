import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { PoolMembers } from "../../../src/features/browser-pools/pool-members.ts";

/** Runs a test over the storage of a new object; `reopen` reads the members again, as a restart does. */
function withMembers(
  test: (members: PoolMembers, reopen: () => PoolMembers, kv: SyncKvStorage) => void,
): Promise<void> {
  const stub = env.BROWSER_POOL.getByName(`members ${crypto.randomUUID()}`);
  return runInDurableObject(stub, (_, { storage: { kv } }) => {
    test(new PoolMembers(kv), () => new PoolMembers(kv), kv);
  });
}

/** Adds members with these ids that became idle in this order. */
function addIdle(members: PoolMembers, ...sessionIds: string[]): void {
  for (const id of sessionIds) {
    members.add(id);
    members.move(id, "idle");
  }
}

describe("PoolMembers", () => {
  it("writes nothing while empty", () =>
    withMembers((members, _, kv) => {
      expect(members.size).toBe(0);
      expect(members.lease()).toBeUndefined();
      expect([...kv.list()]).toEqual([]);
    }));

  it("adds members as launching and never leased", () =>
    withMembers((members) => {
      members.add("first");
      expect(members.get("first")).toMatchObject({ state: "launching", lease: 0 });
      expect(members.get("second")).toBeUndefined();
    }));

  it("restores members of every state after a restart", () =>
    withMembers((members, reopen) => {
      for (const id of ["launching", "condemned", "idle", "leased", "releasing", "ending", "gone"])
        members.add(id);
      members.markUnwanted("condemned");
      members.move("leased", "idle");
      members.lease();
      members.move("leased", "leased");
      members.move("idle", "idle");
      members.move("releasing", "releasing");
      members.move("ending", "ending", "browser_lost");
      members.remove("gone");
      const restarted = reopen();
      expect(restarted.size).toBe(6);
      for (const member of members.all()) expect(restarted.get(member.sessionId)).toEqual(member);
      expect(restarted.get("ending")).toMatchObject({ state: "ending", reason: "browser_lost" });
      expect(restarted.get("leased")?.lease).toBeGreaterThan(0);
      expect(restarted.leaving).toBe(members.leaving);
    }));

  it("lists members by state in order of entry, also after a restart", () =>
    withMembers((members, reopen) => {
      addIdle(members, "b", "a", "c");
      members.move("b", "releasing");
      members.move("b", "idle");
      members.add("d");
      for (const one of [members, reopen()]) {
        expect(one.inState("idle").map(({ sessionId }) => sessionId)).toEqual(["a", "c", "b"]);
        expect(one.inState("launching", "idle").map(({ sessionId }) => sessionId)).toEqual([
          "a",
          "c",
          "b",
          "d",
        ]);
        expect(one.inState("leased")).toEqual([]);
      }
    }));

  it("leases members once, in the order in which they became idle", () =>
    withMembers((members) => {
      addIdle(members, "b", "a");
      members.add("launching");
      const leased = [members.lease(), members.lease()];
      expect(leased.map((member) => member?.sessionId)).toEqual(["b", "a"]);
      expect(leased.map((member) => member?.state)).toEqual(["leasing", "leasing"]);
      expect(members.lease()).toBeUndefined();
    }));

  it("never repeats a lease number across restarts and removals", () =>
    withMembers((members, reopen) => {
      const numbers: number[] = [];
      let current = members;
      for (let round = 0; round < 20; round += 1) {
        const id = `session ${round % 3}`;
        addIdle(current, id);
        const leased = current.lease();
        expect(current.get(id)?.lease).toBe(leased?.lease);
        numbers.push(leased?.lease ?? 0);
        if (round % 2 === 0) current.remove(id);
        if (round % 4 === 1) current = reopen();
      }
      expect(numbers).toEqual([...new Set(numbers)].sort((first, second) => first - second));
    }));

  it("keeps a lease number across states", () =>
    withMembers((members, reopen) => {
      addIdle(members, "a");
      const lease = members.lease()?.lease;
      for (const state of ["leased", "releasing", "idle"] as const) members.move("a", state);
      expect(reopen().get("a")).toMatchObject({ state: "idle", lease });
    }));

  it("does not add a removed member back on a move", () =>
    withMembers((members, reopen) => {
      addIdle(members, "a");
      members.remove("a");
      expect(members.move("a", "idle")).toBeUndefined();
      members.markUnwanted("a");
      for (const one of [members, reopen()]) {
        expect([one.size, one.get("a"), one.lease()]).toEqual([0, undefined, undefined]);
      }
    }));

  it("counts ending and unwanted members as leaving until they change state", () =>
    withMembers((members) => {
      addIdle(members, "idle", "ending");
      members.add("launching");
      expect(members.leaving).toBe(0);
      members.move("ending", "ending", "discarded");
      members.markUnwanted("launching");
      expect(members.get("launching")).toMatchObject({ state: "launching", isUnwanted: true });
      expect(members.leaving).toBe(2);
      members.move("launching", "idle");
      expect(members.leaving).toBe(1);
      members.remove("ending");
      expect(members.leaving).toBe(0);
    }));
});
