import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { insertQueuedInvocation } from "../../../src/features/apps/invocations/store.ts";
import { markRecordingFinished } from "../../../src/features/recordings/store.ts";
import { recordSessionUsage } from "../../../src/features/usage/index.ts";
import { organizationUsageSchema } from "../../../src/features/usage/schema.ts";
import { removeUsageBefore, sampleStorage } from "../../../src/features/usage/store.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { type Client, newClient } from "../../api.ts";
import { insertEndedRow, insertSessionRow } from "../../records.ts";
import { deployApp } from "../apps/deployed-app.ts";
import { invoke } from "../apps/invocations/actions.ts";
import { invocationRow } from "../apps/invocations/invocations.ts";
import { Scripts } from "../playwright/scripts.ts";
import { insertReplayRow } from "../recordings/recordings.ts";

const database = openDatabase(env.DB);

const HOUR = 3_600_000;

async function usage(client: Client, query = "?group_by=key") {
  return (await client.get(`/org/usage${query}`)).read(organizationUsageSchema);
}

describe("invocations", () => {
  it("are counted with their Dynamic Workers, by the key that invoked them", async () => {
    const client = await newClient();
    const app = await deployApp(client, { act: "return 1" });
    await invoke(client, app, "act");
    await invoke(client, app, "act");
    const { rows, total } = await usage(client);
    expect(total).toMatchObject({ invocations: 2, dynamic_workers: 2, estimated_usd: { total: 0.004 } });
    expect(rows).toEqual([expect.objectContaining({ group: client.keyId, invocations: 2 })]);
  });

  it("are not counted when they are refused", async () => {
    const client = await newClient();
    const app = await deployApp(client, { act: "" });
    const row = invocationRow({ organizationId: client.organizationId });
    const options = { appId: app.id, limit: 0, apiKeyId: null };
    expect(await insertQueuedInvocation(database, row, options)).toBe(false);
    expect((await usage(client)).rows).toEqual([]);
  });
});

describe("tags", () => {
  it("are left out where they are long, or an hour has many of an organization's rows", async () => {
    const client = await newClient();
    const { organizationId } = client;
    const use = async (tags: Record<string, string>) => {
      const { id } = await insertSessionRow({ organizationId, tags });
      await recordSessionUsage(env, id, { dynamicWorkers: 1 });
    };
    const workers = async () => {
      const { rows } = await usage(client, "?group_by=tag&tag=team");
      return rows.filter((row) => row.dynamic_workers > 0).map((row) => [row.group, row.dynamic_workers]);
    };
    await use({ team: "red", note: "x".repeat(255) });
    await use({ team: "long", ...Object.fromEntries([..."abcd"].map((key) => [key, "x".repeat(255)])) });
    expect(await workers()).toEqual([
      [null, 1],
      ["red", 1],
    ]);
    const hour = Math.floor(Date.now() / HOUR) * HOUR;
    await env.DB.prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
        INSERT INTO usage_hours (organization_id, hour, project_id, api_key_id, pool_id, tags)
        SELECT ?, ?, '', n, '', '{}' FROM numbers`,
    )
      .bind(organizationId, hour)
      .run();
    await use({ team: "blue" });
    expect(await workers()).toEqual([
      [null, 2],
      ["red", 1],
    ]);
  });
});

describe("recordings", () => {
  const ended = { durationMs: 90_000, parts: [5], mimeType: "video/mp4", chapters: [], note: null };

  it("are counted once when they are complete, with the key, pool and tags of their session", async () => {
    const client = await newClient();
    const { organizationId } = client;
    const startedAt = Date.now() - 90_000;
    const session = await insertEndedRow({
      organizationId,
      createdAt: startedAt,
      deletedAt: startedAt + 1,
      apiKeyId: "key",
      tags: { team: "red" },
    });
    const { id } = await insertReplayRow({
      organizationId,
      sessionId: session.id,
      startedAt,
      finishedAt: null,
    });
    await Promise.all([1, 2].map(() => markRecordingFinished(database, id, ended)));
    const minutes = async (query: string) =>
      (await usage(client, query)).rows.map(({ group, recorded_minutes }) => [group, recorded_minutes]);
    expect(await minutes("?group_by=key")).toEqual([["key", 1.5]]);
    expect(await minutes("?group_by=tag&tag=team")).toEqual([["red", 1.5]]);
  });

  it("of an earlier lease have the pool, but not the key of the next lease; empty ones are not counted", async () => {
    const client = await newClient();
    const { organizationId } = client;
    const later = { createdAt: Date.now(), poolId: "pool", apiKeyId: "next", tags: { team: "next" } };
    const { id: sessionId } = await insertSessionRow({ organizationId, ...later });
    for (const parts of [[5], []]) {
      const { id } = await insertReplayRow({ organizationId, sessionId, finishedAt: null });
      await markRecordingFinished(database, id, { ...ended, parts });
    }
    const of = async (query: string) =>
      (await usage(client, query)).rows.find(({ recorded_minutes }) => recorded_minutes > 0);
    expect(await of("?group_by=pool")).toMatchObject({ group: "pool", recorded_minutes: 1.5 });
    expect(await of("?group_by=key")).toMatchObject({ group: null, recorded_minutes: 1.5 });
    expect(await of("?group_by=tag&tag=team")).toMatchObject({ group: null, recorded_minutes: 1.5 });
  });
});

describe("stored bytes", () => {
  it("are sampled once an hour", async () => {
    const client = await newClient();
    const { organizationId } = client;
    const now = Math.floor(Date.now() / HOUR) * HOUR;
    const storedIn = async () => (await usage(client)).total.stored_byte_hours;
    await sampleStorage(database, now);
    expect(await storedIn()).toBe(0);
    await insertReplayRow({ organizationId, sessionId: "any", sizeBytes: 700 });
    await Promise.all([1, 2].map(() => sampleStorage(database, now + 60_000)));
    await insertReplayRow({ organizationId, sessionId: "any", sizeBytes: 300 });
    await sampleStorage(database, now + 120_000);
    expect(await storedIn()).toBe(700);
    await sampleStorage(database, now - HOUR);
    expect((await usage(client, `?from=${new Date(now - HOUR).toISOString()}`)).total.stored_byte_hours).toBe(
      1700,
    );
  });

  it("and all other use are forgotten with the hour", async () => {
    const client = await newClient();
    const { organizationId } = client;
    await insertReplayRow({ organizationId, sessionId: "any", sizeBytes: 700 });
    // Older than what other tests use.
    const then = Date.parse("2020-01-01T00:00:00Z");
    await sampleStorage(database, then);
    await sampleStorage(database, then + HOUR);
    await removeUsageBefore(database, then + HOUR);
    const { total } = await usage(client, "?from=2020-01-01&to=2020-01-02");
    expect(total.stored_byte_hours).toBe(700);
  });
});

describe("a session in a real Chromium", () => {
  it("counts the distinct scripts that run beside it", async () => {
    const client = await newClient();
    const { session_id } = await client.createSession({ tags: { team: "red" } });
    const scripts = new Scripts(client, session_id);
    for (const code of ["return 1", "return 1", "return 2"]) await scripts.result(code);
    await expect.poll(async () => (await usage(client)).total.dynamic_workers).toBe(2);
    const { rows } = await usage(client, "?group_by=tag&tag=team");
    expect(rows).toEqual([expect.objectContaining({ group: "red", dynamic_workers: 2 })]);
    await client.delete(`/browsers/${session_id}`);
  });
});
