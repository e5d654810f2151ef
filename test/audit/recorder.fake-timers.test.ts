import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NewEntry } from "../../src/audit/entry.ts";
import { AuditRecorder } from "../../src/audit/recorder.ts";
import { newClient } from "../api.ts";
import { insertSessionRow } from "../records.ts";
import { newEntry } from "./entries.ts";

interface Appended {
  organizationId: string;
  batch: string;
  entries: NewEntry[];
}

let appended: Appended[];
/** How often the next calls of a log fail before they arrive. */
let failures: number;
let recorder: AuditRecorder;

const fakeEnv: Env = {
  ...env,
  AUDIT_LOG: new Proxy(env.AUDIT_LOG, {
    get: () => () => ({
      append: async (organizationId: string, batch: string, entries: NewEntry[]) => {
        appended.push({ organizationId, batch, entries });
        failures -= 1;
        if (failures >= 0) throw new Error("the log restarts");
      },
    }),
  }),
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  appended = [];
  failures = 0;
  recorder = new AuditRecorder();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function add(organizationId: string, path = "/"): Promise<void> | undefined {
  return recorder.add(fakeEnv, { organizationId, entry: newEntry({ path }) });
}

const counts = () => appended.map(({ organizationId, entries }) => [organizationId, entries.length]);

describe("AuditRecorder", () => {
  it("sends the entries of a second in one batch per organization", async () => {
    const work = add("a");
    expect(add("b")).toBeUndefined();
    expect(add("a")).toBeUndefined();
    await vi.advanceTimersByTimeAsync(999);
    expect(counts()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await work;
    expect(counts()).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
    expect(add("a")).toBeInstanceOf(Promise);
  });

  it("sends 500 entries at once", async () => {
    for (let count = 0; count < 499; count += 1) add("a");
    await add("a");
    expect(counts()).toEqual([["a", 500]]);
  });

  it("tries twice with the same batch", async () => {
    failures = 1;
    const work = add("a");
    await vi.advanceTimersByTimeAsync(1000);
    await work;
    const [first, second] = appended;
    expect(appended).toHaveLength(2);
    expect(second).toEqual(first);
  });

  it("logs how many entries are lost", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    failures = 2;
    const work = add("a");
    add("a");
    await vi.advanceTimersByTimeAsync(1000);
    await work;
    expect(appended).toHaveLength(2);
    const lost = { event: "audit_entries_lost", organization_id: "a", entries: 2, error: "the log restarts" };
    expect(JSON.parse(String(log.mock.lastCall?.[0]))).toMatchObject(lost);
  });

  it("holds 10,000 entries and logs how many it has dropped", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const works = Array.from({ length: 10_003 }, () => add("a"));
    await vi.advanceTimersByTimeAsync(1000);
    await Promise.all(works);
    const total = appended.reduce((sum, { entries }) => sum + entries.length, 0);
    expect(total).toBe(10_000);
    const work = add("a");
    await vi.advanceTimersByTimeAsync(1000);
    await work;
    expect(JSON.parse(String(log.mock.lastCall?.[0]))).toMatchObject({
      event: "audit_entries_dropped",
      entries: 3,
    });
  });

  it("sends entries of a request that the platform has ended with a later one", async () => {
    vi.spyOn(globalThis, "setTimeout").mockImplementationOnce(() => Object.create(null));
    add("a", "/ended");
    expect(add("a", "/soon")).toBeUndefined();
    await vi.advanceTimersByTimeAsync(6000);
    const work = add("a", "/later");
    await vi.advanceTimersByTimeAsync(1000);
    await work;
    expect(appended.flatMap(({ entries }) => entries.map(({ path }) => path))).toEqual([
      "/ended",
      "/soon",
      "/later",
    ]);
  });

  it("finds the organizations of sessions, and drops calls of unknown ones", async () => {
    vi.useRealTimers();
    const { organizationId } = await newClient();
    const { id } = await insertSessionRow({ organizationId });
    const orphan = await insertSessionRow({ organizationId: "deleted" });
    const works = [id, orphan.id, "unknown"].map((sessionId) =>
      recorder.add(fakeEnv, { sessionId, entry: newEntry() }),
    );
    await Promise.all(works);
    expect(counts()).toEqual([[organizationId, 1]]);
  });
});
