import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { insertQueuedInvocation } from "../../../../src/features/apps/invocations/store.ts";
import { poolSchema } from "../../../../src/features/browser-pools/schema.ts";
import { openDatabase } from "../../../../src/lib/database/client.ts";
import { type Client, newClient } from "../../../api.ts";
import { useFakeBrowsers } from "../../../fakes/browser-binding.ts";
import { insertSessionRow } from "../../../records.ts";
import { invocationRow } from "../../apps/invocations/invocations.ts";
import { createFullPool, createPool, endPoolsAfterAll } from "../../browser-pools/pools.ts";
import { createKey, createProject } from "./projects.ts";

useFakeBrowsers();
endPoolsAfterAll();

async function statuses(
  count: number,
  call: () => Promise<{ status: number }>,
): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: count }, call));
  return Object.fromEntries(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([status, list]) => [status, list.length]),
  );
}

async function newProject(client: Client, limits: object = {}) {
  const { id } = await createProject(client);
  await client.patch(`/org/projects/${id}/limits`, limits);
  return { id, calls: client.inProject(id) };
}

describe("a project's limit of browsers", () => {
  it("admits exactly 3 of 20 concurrent creates, and does not concern other projects", async () => {
    const client = await newClient();
    const { calls } = await newProject(client, { max_concurrent_sessions: 3 });
    expect(await statuses(20, () => calls.post("/browsers", {}))).toEqual({ 200: 3, 429: 17 });
    expect((await calls.post("/browsers", {})).error.message).toContain("project");
    expect((await client.post("/browsers", {})).status).toBe(200);
  });

  it("is the organization's default unless it has its own, also for the default project", async () => {
    const client = await newClient();
    await client.patch("/org/limits", { default_project_max_concurrent_sessions: 1 });
    const [own, other] = [await newProject(client, { max_concurrent_sessions: 2 }), await newProject(client)];
    expect(await statuses(4, () => own.calls.post("/browsers", {}))).toEqual({ 200: 2, 429: 2 });
    expect(await statuses(4, () => other.calls.post("/browsers", {}))).toEqual({ 200: 1, 429: 3 });
    expect(await statuses(4, () => client.post("/browsers", {}))).toEqual({ 200: 1, 429: 3 });
  });

  it("stays within the organization's", async () => {
    const client = await newClient({ max_concurrent_sessions: 1 });
    const { calls } = await newProject(client, { max_concurrent_sessions: 5 });
    expect(await statuses(4, () => calls.post("/browsers", {}))).toEqual({ 200: 1, 429: 3 });
  });

  it("counts the sizes of pools", async () => {
    const client = await newClient();
    const { calls } = await newProject(client, { max_concurrent_sessions: 3 });
    const pool = await createPool(calls, { size: 2 });
    expect(await statuses(3, () => calls.post("/browsers", {}))).toEqual({ 200: 1, 429: 2 });
    expect((await calls.post("/browser_pools", { size: 1 })).status).toBe(429);
    expect((await calls.patch(`/browser_pools/${pool.id}`, { size: 3 })).status).toBe(429);
    const changed = await calls.patch(`/browser_pools/${pool.id}`, { size: 1 });
    expect(changed.read(poolSchema).browser_pool_config.size).toBe(1);
    expect((await calls.patch(`/browser_pools/${pool.id}`, { size: 2 })).status).toBe(200);
  });
});

it("a project's limit of invocations is exact", async () => {
  const client = await newClient();
  const { id } = await newProject(client, { max_concurrent_invocations: 2 });
  const database = openDatabase(env.DB);
  const deploymentId = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO apps (id, organization_id, name, version, deployment_id, actions, created_at, current)
      VALUES (?1, 'any', ?1, '1', 'd', '[]', 0, 1)`,
  )
    .bind(deploymentId)
    .run();
  const insert = (projectId: string) => {
    const row = invocationRow({ organizationId: client.organizationId, projectId });
    return insertQueuedInvocation(database, row, { appId: deploymentId, limit: 100, apiKeyId: null });
  };
  const inserted = await Promise.all(Array.from({ length: 10 }, () => insert(id)));
  expect(inserted.filter(Boolean)).toHaveLength(2);
  expect(await insert("")).toBe(true);
});

describe("an API key's limit of sessions", () => {
  it("is exact for creates, and frees a place when a session ends", async () => {
    const client = await newClient();
    const key = await createKey(client, { max_concurrent_sessions: 2 });
    expect(await statuses(10, () => key.post("/browsers", {}))).toEqual({ 200: 2, 429: 8 });
    const { ids } = await key.listSessions();
    await key.delete(`/browsers/${ids[0]}`);
    expect((await key.post("/browsers", {})).status).toBe(200);
    expect((await client.post("/browsers", {})).status).toBe(200);
  });

  it("also counts browsers acquired from pools", async () => {
    const client = await newClient();
    const { id } = await createFullPool(client, { size: 3 });
    const key = await createKey(client, { max_concurrent_sessions: 1 });
    const acquire = (by: Client) => by.post(`/browser_pools/${id}/acquire`, { acquire_timeout_seconds: 1 });
    expect(await statuses(3, () => acquire(key))).toEqual({ 200: 1, 429: 2 });
    // The refusals have not used up a browser.
    expect((await client.get(`/browser_pools/${id}`)).read(poolSchema).browser_pool_config.size).toBe(3);
    await expect.poll(async () => (await acquire(client)).status).toBe(200);
  });
});

describe("deleting a project", () => {
  it("waits for what is in it", async () => {
    const client = await newClient();
    const { id, calls } = await newProject(client);
    const { id: profile } = (await calls.post("/profiles", { name: "p" })).json as { id: string };
    const refused = await client.delete(`/org/projects/${id}`);
    expect([refused.error.code, refused.headers.get("x-should-retry")]).toEqual([
      "project_not_empty",
      "false",
    ]);
    await calls.delete(`/profiles/${profile}`);
    await insertSessionRow({ organizationId: client.organizationId, projectId: id, state: "ended" });
    expect((await client.delete(`/org/projects/${id}`)).status).toBe(204);
    expect((await calls.get("/profiles")).error.code).toBe("project_not_found");
  });

  it("never leaves a resource in a deleted project", async () => {
    const client = await newClient();
    const bodies = { "/profiles": { name: "p" }, "/browsers": {}, "/browser_pools": { size: 1 } };
    for (const [path, body] of Object.entries(bodies)) {
      const { id, calls } = await newProject(client);
      await calls.get("/profiles");
      const [deleted, ...created] = await Promise.all([
        client.delete(`/org/projects/${id}`),
        ...Array.from({ length: 5 }, () => calls.post(path, body)),
      ]);
      const isDeleted = deleted.status === 204;
      expect(created.some(({ status }) => status === 200)).toBe(!isDeleted);
    }
  });
});

it.each(["archived", "deleted"])(
  "an %s project takes nothing more, although it is cached elsewhere",
  async (state) => {
    const client = await newClient();
    const { id, calls } = await newProject(client);
    expect((await calls.get("/profiles")).status).toBe(200);
    // Like another isolate would.
    const change = state === "archived" ? "status = 'archived'" : "deleted_at = 1";
    await env.DB.prepare(`UPDATE projects SET ${change} WHERE id = ?`).bind(id).run();
    const requests: [string, object][] = [
      ["/browsers", {}],
      ["/browser_pools", { size: 1 }],
      ["/profiles", { name: "p" }],
      ["/proxies", { type: "datacenter", config: { country: "US" } }],
    ];
    for (const [path, body] of requests) {
      const refused = await calls.post(path, body);
      expect([refused.status, refused.error.code], path).toEqual([404, "project_not_found"]);
    }
  },
);
