import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Deadlines } from "../../../src/lib/objects/deadlines.ts";

type Kind = "a" | "b" | "c";

const MINUTE_MS = 60_000;
let objects = 0;

/** Runs a test with the storage of a new Durable Object. */
function withStorage(test: (storage: DurableObjectStorage, deadlines: Deadlines<Kind>) => Promise<void>) {
  objects += 1;
  const stub = env.BROWSER_SESSION.getByName(`deadlines ${objects}`);
  return runInDurableObject(stub, (_, { storage }) => test(storage, new Deadlines<Kind>(storage)));
}

function unexpected(kind: Kind, error: unknown): void {
  throw new Error(`${kind} failed`, { cause: error });
}

describe("Deadlines", () => {
  it("writes nothing and sets no alarm before the first deadline", () =>
    withStorage(async (storage) => {
      expect(await storage.getAlarm()).toBeNull();
      expect((await storage.list()).size).toBe(0);
    }));

  it("keeps the alarm at the earliest deadline as deadlines move", () =>
    withStorage(async (storage, deadlines) => {
      const now = Date.now();
      await deadlines.set({ a: now + 3 * MINUTE_MS, b: now + 2 * MINUTE_MS });
      expect(await storage.getAlarm()).toBe(now + 2 * MINUTE_MS);
      await deadlines.set({ c: now + MINUTE_MS });
      expect(await storage.getAlarm()).toBe(now + MINUTE_MS);
      await deadlines.set({ c: now + 4 * MINUTE_MS });
      expect(await storage.getAlarm()).toBe(now + 2 * MINUTE_MS);
    }));

  it("replaces all deadlines", () =>
    withStorage(async (storage, deadlines) => {
      const now = Date.now();
      await deadlines.set({ a: now + MINUTE_MS, b: now + MINUTE_MS });
      await deadlines.replace({ c: now + 2 * MINUTE_MS });
      expect(await storage.getAlarm()).toBe(now + 2 * MINUTE_MS);
      await deadlines.replace({});
      expect(await storage.getAlarm()).toBeNull();
    }));

  it("reads deadlines back from storage", () =>
    withStorage(async (storage, deadlines) => {
      await deadlines.set({ a: Date.now() - 1 });
      const handled: Kind[] = [];
      await new Deadlines<Kind>(storage).run(async (kind) => void handled.push(kind), unexpected);
      expect(handled).toEqual(["a"]);
    }));

  it("runs all due deadlines, earliest first, and keeps the rest", () =>
    withStorage(async (storage, deadlines) => {
      const now = Date.now();
      await deadlines.set({ a: now - 1, b: now - 1000, c: now + MINUTE_MS });
      const handled: Kind[] = [];
      await deadlines.run(async (kind) => void handled.push(kind), unexpected);
      expect(handled).toEqual(["b", "a"]);
      expect(await storage.getAlarm()).toBe(now + MINUTE_MS);
      await deadlines.run(async (kind) => void handled.push(kind), unexpected);
      expect(handled).toEqual(["b", "a"]);
    }));

  it("sets no alarm after the last deadline", () =>
    withStorage(async (storage, deadlines) => {
      await deadlines.set({ a: Date.now() - 1 });
      await deadlines.run(async () => {}, unexpected);
      expect(await storage.getAlarm()).toBeNull();
    }));

  it("sets the next alarm before the handler runs, in case it crashes the object", () =>
    withStorage(async (storage, deadlines) => {
      await deadlines.set({ a: Date.now() - 1 });
      let during: number | null = null;
      await deadlines.run(async () => {
        during = await storage.getAlarm();
      }, unexpected);
      expect(during).toBeGreaterThan(Date.now());
    }));

  it("reports and retries a failed handler, and runs the others", () =>
    withStorage(async (storage, deadlines) => {
      const now = Date.now();
      await deadlines.set({ a: now - 2, b: now - 1 });
      const handled: Kind[] = [];
      const failed: [Kind, unknown][] = [];
      const error = new Error("not now");
      await deadlines.run(
        async (kind) => {
          if (kind === "a") throw error;
          handled.push(kind);
        },
        (kind, reason) => failed.push([kind, reason]),
      );
      expect(handled).toEqual(["b"]);
      expect(failed).toEqual([["a", error]]);
      const retryAt = await storage.getAlarm();
      expect(retryAt).toBeGreaterThan(now);
      expect(retryAt).toBeLessThanOrEqual(Date.now() + MINUTE_MS);
    }));

  it("keeps a deadline that its handler moved", () =>
    withStorage(async (storage, deadlines) => {
      const later = Date.now() + MINUTE_MS;
      await deadlines.set({ a: Date.now() - 1 });
      await deadlines.run((kind) => deadlines.set({ [kind]: later }), unexpected);
      expect(await storage.getAlarm()).toBe(later);
    }));

  it("stores nothing after a handler deletes all storage", () =>
    withStorage(async (storage, deadlines) => {
      await deadlines.set({ a: Date.now() - 1 });
      await deadlines.run(() => storage.deleteAll(), unexpected);
      expect(await storage.getAlarm()).toBeNull();
      expect((await storage.list()).size).toBe(0);
    }));
});
