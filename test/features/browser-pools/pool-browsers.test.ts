import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { PoolBrowsers } from "../../../src/features/browser-pools/pool-browsers.ts";

/** Runs a test over the storage of a new object; `reopen` reads the browsers again, as a restart does. */
function withBrowsers(
  test: (browsers: PoolBrowsers, reopen: () => PoolBrowsers, kv: SyncKvStorage) => void,
): Promise<void> {
  const stub = env.BROWSER_POOL.getByName(`browsers ${crypto.randomUUID()}`);
  return runInDurableObject(stub, (_, { storage: { kv } }) => {
    test(new PoolBrowsers(kv), () => new PoolBrowsers(kv), kv);
  });
}

/** Adds browsers with these ids that became idle in this order. */
function addIdle(browsers: PoolBrowsers, ...sessionIds: string[]): void {
  for (const id of sessionIds) {
    browsers.add(id);
    browsers.move(id, "idle");
  }
}

describe("PoolBrowsers", () => {
  it("writes nothing while empty", () =>
    withBrowsers((browsers, _, kv) => {
      expect(browsers.size).toBe(0);
      expect(browsers.lease()).toBeUndefined();
      expect([...kv.list()]).toEqual([]);
    }));

  it("adds browsers as launching and never leased", () =>
    withBrowsers((browsers) => {
      browsers.add("first");
      expect(browsers.get("first")).toMatchObject({ state: "launching", lease: 0 });
      expect(browsers.get("second")).toBeUndefined();
    }));

  it("restores browsers of every state after a restart", () =>
    withBrowsers((browsers, reopen) => {
      for (const id of ["launching", "condemned", "idle", "leased", "releasing", "ending", "gone"])
        browsers.add(id);
      browsers.markUnwanted("condemned");
      browsers.move("leased", "idle");
      browsers.lease();
      browsers.move("leased", "leased");
      browsers.move("idle", "idle");
      browsers.move("releasing", "releasing");
      browsers.move("ending", "ending", "browser_lost");
      browsers.remove("gone");
      const restarted = reopen();
      expect(restarted.size).toBe(6);
      for (const browser of browsers.all()) expect(restarted.get(browser.sessionId)).toEqual(browser);
      expect(restarted.get("ending")).toMatchObject({ state: "ending", reason: "browser_lost" });
      expect(restarted.get("leased")?.lease).toBeGreaterThan(0);
      expect(restarted.leaving).toBe(browsers.leaving);
    }));

  it("lists browsers by state in order of entry, also after a restart", () =>
    withBrowsers((browsers, reopen) => {
      addIdle(browsers, "b", "a", "c");
      browsers.move("b", "releasing");
      browsers.move("b", "idle");
      browsers.add("d");
      for (const one of [browsers, reopen()]) {
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

  it("leases browsers once, in the order in which they became idle", () =>
    withBrowsers((browsers) => {
      addIdle(browsers, "b", "a");
      browsers.add("launching");
      const leased = [browsers.lease(), browsers.lease()];
      expect(leased.map((browser) => browser?.sessionId)).toEqual(["b", "a"]);
      expect(leased.map((browser) => browser?.state)).toEqual(["leasing", "leasing"]);
      expect(browsers.lease()).toBeUndefined();
    }));

  it("never repeats a lease number across restarts and removals", () =>
    withBrowsers((browsers, reopen) => {
      const numbers: number[] = [];
      let current = browsers;
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
    withBrowsers((browsers, reopen) => {
      addIdle(browsers, "a");
      const lease = browsers.lease()?.lease;
      for (const state of ["leased", "releasing", "idle"] as const) browsers.move("a", state);
      expect(reopen().get("a")).toMatchObject({ state: "idle", lease });
    }));

  it("does not add a removed browser back on a move", () =>
    withBrowsers((browsers, reopen) => {
      addIdle(browsers, "a");
      browsers.remove("a");
      expect(browsers.move("a", "idle")).toBeUndefined();
      browsers.markUnwanted("a");
      for (const one of [browsers, reopen()]) {
        expect([one.size, one.get("a"), one.lease()]).toEqual([0, undefined, undefined]);
      }
    }));

  it("counts ending and unwanted browsers as leaving until they change state", () =>
    withBrowsers((browsers) => {
      addIdle(browsers, "idle", "ending");
      browsers.add("launching");
      expect(browsers.leaving).toBe(0);
      browsers.move("ending", "ending", "discarded");
      browsers.markUnwanted("launching");
      expect(browsers.get("launching")).toMatchObject({ state: "launching", isUnwanted: true });
      expect(browsers.leaving).toBe(2);
      browsers.move("launching", "idle");
      expect(browsers.leaving).toBe(1);
      browsers.remove("ending");
      expect(browsers.leaving).toBe(0);
    }));
});
