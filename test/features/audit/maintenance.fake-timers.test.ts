import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readPage } from "../../../src/features/audit/read-page.ts";
import { verifyDay } from "../../../src/features/audit/verify-day.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { organizations } from "../../../src/lib/database/schema/organizations.ts";
import { append, appendMany, logOf } from "./entries.ts";

const DAY_MS = 86_400_000;
/** In the future, so that only the tests run alarms. */
const [MONDAY, TUESDAY, WEDNESDAY] = ["2040-01-02", "2040-01-03", "2040-01-04"] as const;
const EVERYTHING = {
  start: 0,
  end: Number.MAX_SAFE_INTEGER,
  exclude_method: [],
  exclude_console_reads: false,
  search_user_id: [],
};

let organizationId: string;

beforeEach(async () => {
  env.AUDIT_LOG_RETENTION_SECONDS = String(10 * 86_400);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(`${MONDAY}T12:00:00Z`) });
  organizationId = newIdentifier();
  await openDatabase(env.DB).insert(organizations).values({ id: organizationId, name: "x", createdAt: 0 });
  return () => {
    env.AUDIT_LOG_RETENTION_SECONDS = "0";
  };
});

async function listFiles(): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix: "audit/" });
  const own = objects.map(({ key }) => key.split("/")).filter(([, owner]) => owner === organizationId);
  return own.map(([, , ...path]) => path.join("/"));
}

async function listPaths(limit = 20_000, before = Number.MAX_SAFE_INTEGER) {
  const { items, next } = await readPage(env, organizationId, { filter: EVERYTHING, limit, before });
  return { paths: items.map(({ entry }) => entry.path), next };
}

const runAlarm = () => runDurableObjectAlarm(logOf(organizationId));
const verify = (day: string, after = 0) => verifyDay(env, organizationId, { day, after });
const inLog = <T>(work: (storage: DurableObjectStorage) => T) =>
  runInDurableObject(logOf(organizationId), (_, { storage }) => work(storage));

async function maintainAt(time: number): Promise<void> {
  vi.setSystemTime(time);
  await logOf(organizationId).settle();
  await runAlarm();
}

async function goTo(day: string): Promise<void> {
  vi.setSystemTime(Date.parse(`${day}T12:00:00Z`));
  await runAlarm();
}

describe("the maintenance of an audit log", () => {
  it("is due within an hour after the day", async () => {
    await append(organizationId, {});
    const alarm = await inLog((storage) => storage.getAlarm());
    expect(alarm).toBeGreaterThanOrEqual(Date.parse(TUESDAY));
    expect(alarm).toBeLessThan(Date.parse(TUESDAY) + 3_600_000);
  });

  it("writes a finished day to a file, and continues its chain on the next day", async () => {
    await append(organizationId, { path: "/1" });
    await append(organizationId, { path: "/2" }, { path: "/3" });
    await runAlarm();
    expect(await listFiles()).toEqual([]);
    await goTo(TUESDAY);
    expect(await listFiles()).toEqual([`${MONDAY}/000000000001.jsonl.gz`]);
    await append(organizationId, { path: "/4" });
    expect(
      await inLog(({ sql }) => sql.exec("SELECT first, lines IS NULL AS filed FROM segments").toArray()),
    ).toEqual([
      { first: 1, filed: 1 },
      { first: 4, filed: 0 },
    ]);
    expect((await listPaths()).paths).toEqual(["/4", "/3", "/2", "/1"]);
    expect(await listPaths(1, 3)).toEqual({ paths: ["/2"], next: 2 });
    const monday = await verify(MONDAY);
    expect(monday).toMatchObject({ valid: true, complete: true, first_sequence: 1, last_sequence: 3 });
    expect(await verify(MONDAY, 1)).toEqual(monday);
    expect(await verify(TUESDAY)).toMatchObject({ valid: true, first_sequence: 4, last_sequence: 4 });
  });

  it("writes full files during the day, also while entries arrive", async () => {
    await appendMany(organizationId, 11_000);
    await Promise.all([runAlarm(), appendMany(organizationId, 500)]);
    expect(await listFiles()).toHaveLength(2);
    await goTo(TUESDAY);
    expect(await listFiles()).toEqual(
      ["000000000001", "000000005001", "000000010001"].map((first) => `${MONDAY}/${first}.jsonl.gz`),
    );
    expect(await verify(MONDAY)).toMatchObject({ valid: true, last_sequence: 11_500 });
    expect((await listPaths()).paths).toHaveLength(11_500);
  });

  it.each([
    ["an edited file", async (key: string) => void (await env.FILES.put(key, "x"))],
    ["a removed file", (key: string) => env.FILES.delete(key)],
  ])("makes %s visible", async (_, tamper) => {
    await append(organizationId, {}, {});
    await goTo(TUESDAY);
    await append(organizationId, {});
    const [file = ""] = await listFiles();
    await tamper(`audit/${organizationId}/${file}`);
    expect(await verify(MONDAY)).toMatchObject({ valid: false, last_sequence: 0 });
    expect(await verify(TUESDAY)).toMatchObject({ valid: true });
  });

  it("keeps the entries when their file cannot be written, and tries again", async () => {
    await append(organizationId, { path: "/kept" });
    const files = env.FILES;
    env.FILES = new Proxy(files, { get: () => () => Promise.reject(new Error("R2 is down")) });
    try {
      await goTo(TUESDAY);
    } finally {
      env.FILES = files;
    }
    expect((await listPaths()).paths).toEqual(["/kept"]);
    await goTo(WEDNESDAY);
    expect(await listFiles()).toHaveLength(1);
    expect((await listPaths()).paths).toEqual(["/kept"]);
  });

  it("removes entries after AUDIT_LOG_RETENTION_SECONDS, and the rest is still a chain", async () => {
    await append(organizationId, { path: "/old" });
    await goTo(TUESDAY);
    await append(organizationId, { path: "/recent" });
    const [monday, tuesday] = [Date.parse(`${MONDAY}T12:00:00Z`), Date.parse(`${TUESDAY}T12:00:00Z`)];
    await maintainAt(monday + 10 * DAY_MS);
    expect((await listPaths()).paths).toEqual(["/recent", "/old"]);
    await maintainAt(monday + 10 * DAY_MS + 1);
    expect((await listPaths()).paths).toEqual(["/recent"]);
    expect(await listFiles()).toEqual([`${TUESDAY}/000000000002.jsonl.gz`]);
    expect(await verify(TUESDAY)).toMatchObject({ valid: true, first_sequence: 2, last_sequence: 2 });
    await maintainAt(tuesday + 11 * DAY_MS);
    await append(organizationId, { path: "/new" });
    expect((await listPaths()).paths).toEqual(["/new"]);
    expect(await verify("2040-01-14")).toMatchObject({ valid: true, first_sequence: 3, last_sequence: 3 });
  });

  it("removes the log of a deleted organization, of a disabled one nothing", async () => {
    await append(organizationId, {});
    await goTo(TUESDAY);
    await append(organizationId, {});
    await logOf(organizationId).settle();
    await runAlarm();
    expect((await listPaths()).paths).toHaveLength(2);
    await openDatabase(env.DB).delete(organizations).where(eq(organizations.id, organizationId));
    await logOf(organizationId).settle();
    await runAlarm();
    expect(await listFiles()).toEqual([]);
    const rest = await inLog(async (storage) => [(await storage.list()).size, await storage.getAlarm()]);
    expect(rest).toEqual([0, null]);
    // A call with a key that is still cached.
    await append(organizationId, {});
    await goTo(WEDNESDAY);
    expect((await listPaths()).paths).toEqual([]);
  });
});
