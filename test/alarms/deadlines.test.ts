import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Deadlines } from "../../src/alarms/deadlines.ts";

type Kind = "a" | "b" | "c";

const SOON = 60_000;
let objects = 0;

/** Runs a test over the storage of an object that nobody else uses. */
function withStorage(test: (storage: DurableObjectStorage, deadlines: Deadlines<Kind>) => Promise<void>) {
  objects += 1;
  const stub = env.BROWSER_SESSION.getByName(`deadlines ${objects}`);
  return runInDurableObject(stub, (_, { storage }) => test(storage, new Deadlines<Kind>(storage)));
}

function unexpected(kind: Kind, error: unknown): void {
  throw new Error(`${kind} failed`, { cause: error });
}

describe("Deadlines", () => {
  it("write nothing and set no alarm before the first is set", () =>
    withStorage(async (storage) => {
      expect(await storage.getAlarm()).toBeNull();
      expect((await storage.list()).size).toBe(0);
    }));

  it("set the alarm to the earliest, whichever way they are moved", () =>
    withStorage(async (storage, deadlines) => {
      const now = Date.now();
      await deadlines.set({ a: now + 3 * SOON, b: now + 2 * SOON });
      expect(await storage.getAlarm()).toBe(now + 2 * SOON);
      await deadlines.set({ c: now + SOON });
      expect(await storage.getAlarm()).toBe(now + SOON);
      await deadlines.set({ c: now + 4 * SOON });
      expect(await storage.getAlarm()).toBe(now + 2 * SOON);
    }));

  it("put others in the place of all there were", () =>
    withStorage(async (storage, deadlines) => {
      const now = Date.now();
      await deadlines.set({ a: now + SOON, b: now + SOON });
      await deadlines.replace({ c: now + 2 * SOON });
      expect(await storage.getAlarm()).toBe(now + 2 * SOON);
      await deadlines.replace({});
      expect(await storage.getAlarm()).toBeNull();
    }));

  it("survive their object: a second one over the same storage knows them", () =>
    withStorage(async (storage, deadlines) => {
      await deadlines.set({ a: Date.now() - 1 });
      const served: Kind[] = [];
      await new Deadlines<Kind>(storage).run(async (kind) => void served.push(kind), unexpected);
      expect(served).toEqual(["a"]);
    }));

  it("serve all that are due, earliest first, and leave the rest", () =>
    withStorage(async (storage, deadlines) => {
      const now = Date.now();
      await deadlines.set({ a: now - 1, b: now - 1000, c: now + SOON });
      const served: Kind[] = [];
      await deadlines.run(async (kind) => void served.push(kind), unexpected);
      expect(served).toEqual(["b", "a"]);
      expect(await storage.getAlarm()).toBe(now + SOON);
      await deadlines.run(async (kind) => void served.push(kind), unexpected);
      expect(served).toEqual(["b", "a"]);
    }));

  it("leave no alarm when the last one is served", () =>
    withStorage(async (storage, deadlines) => {
      await deadlines.set({ a: Date.now() - 1 });
      await deadlines.run(async () => {}, unexpected);
      expect(await storage.getAlarm()).toBeNull();
    }));

  it("set the next alarm before any work, in case the work takes the object down", () =>
    withStorage(async (storage, deadlines) => {
      await deadlines.set({ a: Date.now() - 1 });
      let during: number | null = null;
      await deadlines.run(async () => {
        during = await storage.getAlarm();
      }, unexpected);
      expect(during).toBeGreaterThan(Date.now());
    }));

  it("try work that throws again later, tell of it, and serve the others", () =>
    withStorage(async (storage, deadlines) => {
      const now = Date.now();
      await deadlines.set({ a: now - 2, b: now - 1 });
      const served: Kind[] = [];
      const failed: [Kind, unknown][] = [];
      const error = new Error("not now");
      await deadlines.run(
        async (kind) => {
          if (kind === "a") throw error;
          served.push(kind);
        },
        (kind, why) => failed.push([kind, why]),
      );
      expect(served).toEqual(["b"]);
      expect(failed).toEqual([["a", error]]);
      const retryAt = await storage.getAlarm();
      expect(retryAt).toBeGreaterThan(now);
      expect(retryAt).toBeLessThanOrEqual(Date.now() + SOON);
    }));

  it("keep a deadline that its own work moved", () =>
    withStorage(async (storage, deadlines) => {
      const later = Date.now() + SOON;
      await deadlines.set({ a: Date.now() - 1 });
      await deadlines.run((kind) => deadlines.set({ [kind]: later }), unexpected);
      expect(await storage.getAlarm()).toBe(later);
    }));

  it("leave nothing when the work removes all storage", () =>
    withStorage(async (storage, deadlines) => {
      await deadlines.set({ a: Date.now() - 1 });
      await deadlines.run(() => storage.deleteAll(), unexpected);
      expect(await storage.getAlarm()).toBeNull();
      expect((await storage.list()).size).toBe(0);
    }));
});
