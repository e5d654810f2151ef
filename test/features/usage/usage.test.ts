import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  leaseSession,
  markSessionEnded,
  removeExpiredRecords,
  removeUnstartedSession,
  returnSession,
} from "../../../src/features/sessions/store.ts";
import {
  operatorUsageQuerySchema,
  organizationUsageSchema,
  usageSchema,
} from "../../../src/features/usage/schema.ts";
import { readUsage } from "../../../src/features/usage/store.ts";
import { pricesSchema } from "../../../src/lib/common/prices.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import type { BrowserSessionRow } from "../../../src/lib/database/schema/browser-sessions.ts";
import { type Client, newClient, operator } from "../../api.ts";
import { explain } from "../../query-plans.ts";
import { insertSessionRow, readSessionRow, readSessionRows } from "../../records.ts";

const database = openDatabase(env.DB);

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse("2031-03-01T00:00:00.000Z");
const RED = { team: "red", job: "1" };
const NOW = START + 2 * DAY + 12.5 * HOUR;

let client: Client;
let organizationId: string;
beforeEach(async () => {
  client = await newClient();
  ({ organizationId } = client);
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

async function usage(query = "", of = client) {
  return (await of.get(`/org/usage${query}`)).read(organizationUsageSchema);
}

/** Seconds and sessions by group. */
async function groups(query: string): Promise<Record<string, [seconds: number, sessions: number]>> {
  const { rows } = await usage(query);
  return Object.fromEntries(
    rows.map(({ group, browser_seconds, sessions }) => [String(group), [browser_seconds, sessions]]),
  );
}

function end(id: string, at: number) {
  return markSessionEnded(database, id, { reason: "deleted", at });
}

function randomNumbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

describe("GET /org/usage", () => {
  it("is exactly the sum over the sessions' own rows, in every grouping", async () => {
    const random = randomNumbers(7);
    const pick = <T>(...values: T[]): T | undefined => values[random(values.length)];
    for (let n = 0; n < 60; n += 1) {
      const createdAt = START + random(2.4 * DAY);
      const { id } = await insertSessionRow({
        organizationId,
        createdAt,
        apiKeyId: pick("key-a", "key-b") ?? null,
        poolId: random(3) === 0 ? "pool-1" : null,
        tags: pick<Record<string, string>>({}, RED, { job: "1", team: "red" }, { team: "blue" }) ?? {},
      });
      // A sixth are still living, and some ended on the hour.
      const until = createdAt + random(random(4) === 0 ? DAY : 2 * HOUR);
      const endedAt = random(5) === 0 ? Math.ceil(until / HOUR) * HOUR : until;
      if (random(6) > 0) await end(id, Math.min(endedAt, NOW));
    }
    const rows = await readSessionRows(organizationId);
    const expected = (groupOf: (row: BrowserSessionRow, hour: number) => string) => {
      const sums: Record<string, [seconds: number, sessions: number]> = {};
      for (const row of rows) {
        const endedAt = row.deletedAt ?? NOW;
        const first = row.createdAt - (row.createdAt % HOUR);
        for (let hour = first; hour === first || hour < endedAt; hour += HOUR) {
          const group = groupOf(row, hour);
          const [ms, sessions] = sums[group] ?? [0, 0];
          const time = Math.min(endedAt, hour + HOUR) - Math.max(row.createdAt, hour);
          sums[group] = [ms + time, sessions + (hour === first ? 1 : 0)];
        }
      }
      return Object.fromEntries(
        Object.entries(sums).map(([group, [ms, count]]) => [group, [ms / 1000, count]]),
      );
    };
    const iso = (time: number) => new Date(time).toISOString();
    expect(await groups("?group_by=hour")).toEqual(expected((_, hour) => iso(hour)));
    expect(await groups("")).toEqual(expected((_, hour) => iso(hour - (hour % DAY))));
    expect(await groups("?group_by=key")).toEqual(expected(({ apiKeyId }) => String(apiKeyId)));
    expect(await groups("?group_by=pool")).toEqual(expected(({ poolId }) => String(poolId)));
    expect(await groups("?group_by=tag&tag=team")).toEqual(expected(({ tags }) => tags.team ?? "null"));
    const [[seconds = 0, sessions = 0] = []] = Object.values(expected(() => "all"));
    expect((await usage("?group_by=key")).total).toMatchObject({ browser_seconds: seconds, sessions });
    expect(sessions).toBe(60);
    const kept = "SELECT DISTINCT tags FROM usage_hours WHERE organization_id = ? ORDER BY tags";
    const { results } = await env.DB.prepare(kept).bind(organizationId).all();
    expect(results.map(({ tags }) => tags)).toEqual(['{"job":"1","team":"red"}', '{"team":"blue"}', "{}"]);
    // Removing what has expired loses nothing.
    await removeExpiredRecords(database, { endedAt: NOW + 1, keyCreatedAt: 0 });
    expect((await usage("?group_by=key")).total.browser_seconds).toBe(seconds);
  });

  it("counts an end once, however often it is repeated, also at the same time", async () => {
    const { id } = await insertSessionRow({ organizationId, createdAt: NOW - 90 * SECOND });
    await Promise.all([end(id, NOW), end(id, NOW), end(id, NOW + HOUR)]);
    await end(id, NOW);
    expect((await usage()).total).toMatchObject({ browser_seconds: 90, sessions: 1 });
  });

  it("separates the leases of a pool browser from the time that it waits", async () => {
    const pooled = { organizationId, poolId: "pool", state: "idle" } as const;
    const { id } = await insertSessionRow({ ...pooled, createdAt: NOW - 100 * SECOND });
    const lease = { name: "taken", poolName: null, telemetry: null, record: false, lease: 1 };
    const before = {
      startURL: null,
      viewportWidth: 1,
      viewportHeight: 1,
      viewportRefreshRate: 1,
      proxyId: null,
      profileId: null,
    };
    const lend = (apiKeyId: string, createdAt: number) =>
      leaseSession(database, id, { ...lease, tags: { team: apiKeyId }, apiKeyId, createdAt });
    await lend("first", NOW - 90 * SECOND);
    await Promise.all([1, 2].map(() => returnSession(database, id, NOW - 60 * SECOND, before)));
    // Taken names and leases that no caller received change nothing.
    const named = await insertSessionRow({ organizationId, name: "taken", createdAt: NOW });
    expect(await lend("refused", NOW - 50 * SECOND)).toBe("name-taken");
    await removeUnstartedSession(database, named.id);
    await lend("nobody", NOW - 45 * SECOND);
    await returnSession(database, id, undefined, before);
    await lend("second", NOW - 40 * SECOND);
    await end(id, NOW - 35 * SECOND);
    expect((await readSessionRow(id))?.state).toBe("ended");
    expect(await groups("?group_by=key")).toEqual({ null: [30, 0], first: [30, 1], second: [5, 1] });
    expect(await groups("?group_by=pool")).toEqual({ pool: [65, 2] });
    expect(await groups("?group_by=tag&tag=team")).toEqual({ null: [30, 0], first: [30, 1], second: [5, 1] });
  });

  it("counts browsers that wait in a pool, living and ended ones", async () => {
    const pooled = { organizationId, poolId: "pool", state: "idle", createdAt: NOW - 10 * SECOND } as const;
    await insertSessionRow(pooled);
    const { id } = await insertSessionRow(pooled);
    await end(id, NOW - 3 * SECOND);
    expect(await readSessionRow(id)).toBeUndefined();
    expect(await groups("?group_by=pool")).toEqual({ pool: [17, 0] });
  });

  it("does not count a session that has not started", async () => {
    const { id } = await insertSessionRow({ organizationId, state: "starting", createdAt: NOW - SECOND });
    expect((await usage()).total.browser_seconds).toBe(0);
    await removeUnstartedSession(database, id);
    expect((await usage()).total).toMatchObject({ browser_seconds: 0, sessions: 0 });
  });

  it("cuts sessions at the ends of the range, which are whole hours", async () => {
    const { id } = await insertSessionRow({ organizationId, createdAt: START + 0.5 * HOUR });
    const range = "?from=2031-03-01T01:30:00Z&to=2031-03-01T03:10:00%2B00:00&group_by=hour";
    const living = await usage(range);
    expect([living.from, living.to]).toEqual(["2031-03-01T01:00:00.000Z", "2031-03-01T04:00:00.000Z"]);
    expect(living.total).toMatchObject({ browser_seconds: 3 * 3600, sessions: 0 });
    await end(id, START + 10 * HOUR);
    const ended = await usage(range);
    expect(ended).toEqual(living);
    expect((await usage("?from=2031-03-01&to=2031-03-01")).total.browser_seconds).toBe(0);
    expect((await usage("?from=2031-03-01&to=2031-03-02")).total.browser_seconds).toBe(9.5 * 3600);
  });

  it("estimates costs by the prices of the service", async () => {
    await insertSessionRow({ organizationId, createdAt: NOW - 10 * HOUR });
    const { total, prices } = await usage();
    expect(prices).toMatchObject({ browser_hour: 0.096, dynamic_worker: 0.002, proxied_gb: 0 });
    expect(total.estimated_usd.browsers).toBeCloseTo(0.96);
    expect(total.estimated_usd.total).toBeCloseTo(0.96);
  });

  it("has nothing of another organization, whose operator sees both", async () => {
    const other = await newClient();
    const theirs = await insertSessionRow({ organizationId: other.organizationId, createdAt: NOW - HOUR });
    const living = await insertSessionRow({ organizationId: other.organizationId, createdAt: NOW - HOUR });
    await end(theirs.id, NOW);
    expect((await usage()).rows).toEqual([]);
    expect((await usage("", other)).total.sessions).toBe(2);
    await insertSessionRow({ organizationId, createdAt: NOW - SECOND });
    const all = (await operator.get("/admin/usage")).read(usageSchema);
    const of = (id: string) => all.rows.find(({ group }) => group === id)?.browser_seconds;
    expect([of(organizationId), of(other.organizationId)]).toEqual([1, 7200]);
    const one = `/admin/usage?organization_id=${other.organizationId}&group_by=key`;
    expect((await operator.get(one)).read(usageSchema).total.browser_seconds).toBe(7200);
    await removeUnstartedSession(database, living.id);
  });

  it.each([
    ["from=yesterday", ["from"]],
    ["to=5m", ["to"]],
    ["from=2031-02-30", ["from"]],
    ["from=2031-03-02&to=2031-03-01", ["to"]],
    ["from=2030-01-01&to=2031-03-01", ["from"]],
    ["group_by=tag", ["tag"]],
    ["group_by=tag&tag=", ["tag"]],
    ["group_by=organization", ["group_by"]],
  ])("refuses %s", async (query, fields) => {
    expect((await client.get(`/org/usage?${query}`)).invalidFields).toEqual(fields);
  });

  it("is read by indexes of the organization", async () => {
    const query = operatorUsageQuerySchema.parse({ group_by: "day", organization_id: organizationId });
    const prices = pricesSchema.parse("");
    const statements = await explain((recorded) => readUsage(recorded, query, prices));
    expect(statements).toHaveLength(2);
    const tables = statements
      .flatMap(({ plan }) => plan)
      .filter((step) => /usage_hours|browser_sessions/.test(step));
    expect(tables).toHaveLength(4);
    for (const step of tables) expect(step).toMatch(/^SEARCH \w+ USING INDEX \w+ \(organization_id=\?/);
  });
});
