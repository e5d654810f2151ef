import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NewEntry } from "../../../src/features/audit/entry.ts";
import { AuditRecorder } from "../../../src/features/audit/recorder.ts";
import { newClient } from "../../api.ts";
import { insertSessionRow } from "../../records.ts";
import { newEntry } from "./entries.ts";

interface Appended {
  organizationId: string;
  batch: string;
  entries: NewEntry[];
}

let appended: Appended[];
/** How often the next calls of a log fail before they arrive. */
let failures: number;
let arrives: Promise<void>;
let recorder: AuditRecorder;

const fakeEnv: Env = {
  ...env,
  AUDIT_LOG: new Proxy(env.AUDIT_LOG, {
    get: () => () => ({
      append: async (organizationId: string, batch: string, entries: NewEntry[]) => {
        appended.push({ organizationId, batch, entries });
        failures -= 1;
        await arrives;
        if (failures >= 0) throw new Error("the log restarts");
      },
    }),
  }),
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  appended = [];
  failures = 0;
  arrives = Promise.resolve();
  recorder = new AuditRecorder();
});
afterEach(() => {
  vi.restoreAllMocks();
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

  it("drops an organization's entries, and logs how many, while 20 of its batches are on their way", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    arrives = new Promise(() => undefined);
    const addMany = () => Array.from({ length: 500 }, () => add("a"));
    for (let batch = 0; batch < 20; batch += 1) addMany();
    await Promise.all(addMany().slice(-1));
    expect(appended).toHaveLength(20);
    expect(JSON.parse(String(log.mock.lastCall?.[0]))).toMatchObject({
      entries: 500,
      error: "Too many at once",
    });
    add("b");
    await vi.advanceTimersByTimeAsync(1000);
    expect(appended.at(-1)?.organizationId).toBe("b");
    // By then the platform has ended their requests.
    await vi.advanceTimersByTimeAsync(30_000);
    addMany();
    await vi.advanceTimersByTimeAsync(0);
    expect(appended).toHaveLength(22);
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
    recorder.flushDelayMs = 0;
    const { organizationId } = await newClient();
    const { id } = await insertSessionRow({ organizationId });
    const orphan = await insertSessionRow({ organizationId: "deleted" });
    const works = [id, orphan.id, "unknown"].map((sessionId) =>
      recorder.add(fakeEnv, { sessionId, entry: newEntry() }),
    );
    await Promise.all(works);
    expect(counts()).toEqual([[organizationId, 1]]);
  });

  it("sends the entries of organizations also when those of sessions cannot be found", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(env.DB, "prepare").mockImplementation(() => {
      throw new Error("D1 is down");
    });
    const work = add("a");
    recorder.add(fakeEnv, { sessionId: "any", entry: newEntry() });
    await vi.advanceTimersByTimeAsync(1000);
    await work;
    expect(counts()).toEqual([["a", 1]]);
  });
});
