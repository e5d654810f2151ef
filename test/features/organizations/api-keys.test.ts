import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { apiKeySchema, createdAPIKeySchema } from "../../../src/features/organizations/api-keys/schema.ts";
import { recordKeyUse } from "../../../src/features/organizations/store.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { Client, newClient } from "../../api.ts";
import { advanceTime } from "../../objects.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

async function createKey(client: Client, body: object = { name: "another" }) {
  const created = (await client.post("/org/api_keys", body)).read(createdAPIKeySchema);
  return { ...created, client: new Client(created.key, client.organizationId, created.id) };
}

describe("POST /org/api_keys", () => {
  it("creates a working key and returns it only once", async () => {
    const client = await newClient();
    const before = Date.now();
    const { key, client: second, ...shown } = await createKey(client, { name: "  ci  " });
    expect(key).toMatch(/^berth_[\w-]{43}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      name: "ci",
      masked_key: `${key.slice(0, 10)}…${key.slice(-4)}`,
      project_id: null,
      project_name: null,
      created_at: expect.any(String),
      created_by: { id: client.keyId, email: "", name: null },
      expires_at: null,
      deleted_at: null,
      last_used_at: null,
      access: "full",
      max_concurrent_sessions: null,
      requests_per_minute: null,
    });
    expect(Date.parse(shown.created_at)).toBeGreaterThanOrEqual(before);
    const response = await second.get(`/org/api_keys/${shown.id}`);
    // The call itself is its first use, which may be recorded before the answer is read.
    expect({ ...response.read(apiKeySchema), last_used_at: null }).toEqual(shown);
    expect(response.text).not.toContain(key);
  });

  it("stores only the hash of a key", async () => {
    const { key, id } = await createKey(await newClient());
    const row = await env.DB.prepare("SELECT * FROM api_keys WHERE id = ?").bind(id).first();
    expect(JSON.stringify(row)).not.toContain(key);
    expect(row).toMatchObject({ key_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it("creates a key that expires even when recently used", async () => {
    const key = await createKey(await newClient(), { name: "short", days_to_expire: 1 });
    expect(Date.parse(key.expires_at ?? "") - Date.parse(key.created_at)).toBe(DAY_MS);
    advanceTime(DAY_MS - 10_000);
    expect((await key.client.get("/org/limits")).status).toBe(200);
    advanceTime(10_000);
    const response = await key.client.get("/org/limits");
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
  });

  it.each([
    ["name", {}],
    ["name", { name: "" }],
    ["name", { name: "   " }],
    ["name", { name: "x".repeat(256) }],
    ["name", { name: 5 }],
    ["days_to_expire", { name: "x", days_to_expire: 0 }],
    ["days_to_expire", { name: "x", days_to_expire: 3651 }],
    ["days_to_expire", { name: "x", days_to_expire: 1.5 }],
    ["project_id", { name: "x", project_id: 5 }],
  ])("reports %s in %j", async (field, body) => {
    expect((await (await newClient()).post("/org/api_keys", body)).invalidFields).toContain(field);
  });

  it("rejects project ids", async () => {
    const response = await (await newClient()).post("/org/api_keys", { name: "x", project_id: "p" });
    expect(response.status).toBe(404);
    expect(response.error.code).toBe("project_not_found");
    expect((await createKey(await newClient(), { name: "x", project_id: null })).name).toBe("x");
  });
});

describe("GET /org/api_keys", () => {
  let client: Client;
  let names: (query: string) => Promise<string[]>;

  beforeAll(async () => {
    client = await newClient();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const add = async (name: string, days_to_expire?: number) => {
      advanceTime(1000);
      return createKey(client, { name, days_to_expire });
    };
    await add("Deploy-1", 30);
    await add("backup", 10);
    const deleted = await add("gone");
    await add("deploy_2", 20);
    await client.delete(`/org/api_keys/${deleted.id}`);
    vi.useRealTimers();
    names = async (query) =>
      (await client.get(`/org/api_keys${query}`)).read(apiKeySchema.array()).map(({ name }) => name);
  });

  it.each([
    ["", ["deploy_2", "backup", "Deploy-1", "first key"]],
    ["?status=active", ["deploy_2", "backup", "Deploy-1", "first key"]],
    ["?status=deleted", ["gone"]],
    ["?status=all", ["deploy_2", "gone", "backup", "Deploy-1", "first key"]],
    ["?include_deleted=true", ["deploy_2", "gone", "backup", "Deploy-1", "first key"]],
    ["?include_deleted=true&status=deleted", ["gone"]],
    ["?name=backup", ["backup"]],
    ["?name=back", []],
    ["?query=DEPLOY", ["deploy_2", "Deploy-1"]],
    ["?query=_", ["deploy_2"]],
    ["?query=%25", []],
    ["?sort_direction=asc", ["first key", "Deploy-1", "backup", "deploy_2"]],
    ["?sort_by=name&sort_direction=asc", ["Deploy-1", "backup", "deploy_2", "first key"]],
    ["?sort_by=expires_at&query=deploy&sort_direction=asc", ["deploy_2", "Deploy-1"]],
    ["?sort_by=expires_at&query=deploy", ["Deploy-1", "deploy_2"]],
    ["?limit=2", ["deploy_2", "backup"]],
    ["?limit=2&offset=2", ["Deploy-1", "first key"]],
  ])("lists with %j: %j", async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it("finds a key by its id", async () => {
    expect(await names(`?query=${client.keyId}`)).toEqual(["first key"]);
  });

  it("reports whether there are more and never returns a key", async () => {
    const response = await client.get("/org/api_keys?limit=3");
    expect(response.headers.get("x-has-more")).toBe("true");
    expect(response.headers.get("x-next-offset")).toBe("3");
    expect(response.text).not.toContain(client.token);
    expect((await client.get("/org/api_keys?limit=4")).headers.get("x-has-more")).toBe("false");
  });

  it.each(["limit=0", "limit=101", "offset=-1", "status=old", "sort_by=id", "sort_direction=up"])(
    "rejects %s",
    async (query) => {
      expect((await client.get(`/org/api_keys?${query}`)).invalidFields).toEqual([query.split("=")[0]]);
    },
  );
});

describe("an API key", () => {
  it("is renamed without other changes", async () => {
    const client = await newClient();
    const { id } = await createKey(client);
    const before = (await client.get(`/org/api_keys/${id}`)).read(apiKeySchema);
    expect((await client.patch(`/org/api_keys/${id}`, { name: "new name" })).status).toBe(200);
    const after = (await client.get(`/org/api_keys/${id}`)).read(apiKeySchema);
    expect(after).toEqual({ ...before, name: "new name" });
    expect((await client.patch(`/org/api_keys/${id}`, { name: "" })).invalidFields).toEqual(["name"]);
    expect((await client.patch(`/org/api_keys/${id}`)).invalidFields).toEqual(["name"]);
  });

  it("stops working when deleted and is shown only on request", async () => {
    const client = await newClient();
    const key = await createKey(client);
    expect((await key.client.get("/org/limits")).status).toBe(200);
    expect((await client.delete(`/org/api_keys/${key.id}`)).status).toBe(204);
    expect((await key.client.get("/org/limits")).status).toBe(401);
    expect((await client.get(`/org/api_keys/${key.id}`)).status).toBe(404);
    const shown = await client.get(`/org/api_keys/${key.id}?include_deleted=true`);
    expect(shown.json).toMatchObject({ id: key.id, deleted_at: expect.any(String) });
    for (const response of [
      await client.delete(`/org/api_keys/${key.id}`),
      await client.patch(`/org/api_keys/${key.id}`, { name: "x" }),
      await client.post(`/org/api_keys/${key.id}/rotate`),
    ]) {
      expect(response.status).toBe(404);
    }
  });

  it("cannot delete itself", async () => {
    const client = await newClient();
    const response = await client.delete(`/org/api_keys/${client.keyId}`);
    expect(response.status).toBe(400);
    expect(response.error.code).toBe("cannot_delete_current_key");
    expect((await client.get("/org/limits")).status).toBe(200);
  });

  it("is replaced by rotation and works for another week", async () => {
    const client = await newClient();
    const old = await createKey(client, { name: "rotated" });
    const fresh = (await client.post(`/org/api_keys/${old.id}/rotate`)).read(createdAPIKeySchema);
    expect(fresh).toMatchObject({ name: "rotated", expires_at: null });
    expect(fresh.id).not.toBe(old.id);
    const renewed = new Client(fresh.key);
    advanceTime(7 * DAY_MS - 10_000);
    expect((await old.client.get("/org/limits")).status).toBe(200);
    advanceTime(20_000);
    expect((await old.client.get("/org/limits")).status).toBe(401);
    expect((await renewed.get("/org/limits")).status).toBe(200);
  });

  it.each([
    ["as long as before", {}, 3 * DAY_MS],
    ["as long as requested", { days_to_expire: 30 }, 30 * DAY_MS],
    ["forever on request", { days_to_expire: null }, null],
  ])("lives %s after rotation", async (_, body, lifetimeMs) => {
    const client = await newClient();
    const old = await createKey(client, { name: "aged", days_to_expire: 3 });
    advanceTime(DAY_MS);
    const fresh = (await client.post(`/org/api_keys/${old.id}/rotate`, { expire_in_days: 1, ...body })).read(
      createdAPIKeySchema,
    );
    const { created_at, expires_at } = fresh;
    expect(expires_at && Date.parse(expires_at) - Date.parse(created_at)).toBe(lifetimeMs);
  });

  it("stops working when rotated with 0 days, even when recently used", async () => {
    const client = await newClient();
    const old = await createKey(client);
    expect((await old.client.get("/org/limits")).status).toBe(200);
    const response = await old.client.post(`/org/api_keys/${old.id}/rotate`, { expire_in_days: 0 });
    expect((await new Client(response.read(createdAPIKeySchema).key).get("/org/limits")).status).toBe(200);
    expect((await old.client.get("/org/limits")).status).toBe(401);
  });

  it("cannot be rotated once expired", async () => {
    const client = await newClient();
    const old = await createKey(client);
    expect((await client.post(`/org/api_keys/${old.id}/rotate`, { expire_in_days: 0 })).status).toBe(200);
    expect((await client.post(`/org/api_keys/${old.id}/rotate`)).status).toBe(409);
  });

  it("does not live longer when rotated", async () => {
    const client = await newClient();
    const old = await createKey(client, { name: "short", days_to_expire: 1 });
    await client.post(`/org/api_keys/${old.id}/rotate`, { expire_in_days: 30 });
    const { expires_at } = (await client.get(`/org/api_keys/${old.id}`)).read(apiKeySchema);
    expect(expires_at).toBe(old.expires_at);
  });

  it.each([
    ["days_to_expire", { days_to_expire: 3 }],
    ["days_to_expire", { days_to_expire: 5, expire_in_days: 6 }],
    ["days_to_expire", { days_to_expire: 0, expire_in_days: 0 }],
    ["expire_in_days", { expire_in_days: -1 }],
    ["expire_in_days", { expire_in_days: 3651 }],
    ["expire_in_days", { expire_in_days: "1" }],
  ])("is not rotated with an invalid %s in %j", async (field, body) => {
    const client = await newClient();
    const old = await createKey(client);
    expect((await client.post(`/org/api_keys/${old.id}/rotate`, body)).invalidFields).toContain(field);
    expect((await client.get("/org/api_keys")).read(apiKeySchema.array())).toHaveLength(2);
    expect((await old.client.get("/org/limits")).status).toBe(200);
  });
});

describe("last_used_at", () => {
  const HOUR_MS = 60 * 60 * 1000;

  async function lastUse(client: Client, id: string): Promise<number | null> {
    const { last_used_at } = (await client.get(`/org/api_keys/${id}`)).read(apiKeySchema);
    return last_used_at === null ? null : Date.parse(last_used_at);
  }

  it("is null until the key is used, and accurate to an hour", async () => {
    const client = await newClient();
    const key = await createKey(client);
    expect(await lastUse(client, key.id)).toBeNull();
    const first = Date.now();
    await key.client.get("/org/limits");
    const used = await lastUse(client, key.id);
    expect(used).toBeGreaterThanOrEqual(first);
    advanceTime(HOUR_MS - 60_000);
    await key.client.get("/org/limits");
    expect(await lastUse(client, key.id)).toBe(used);
    advanceTime(60_000);
    await key.client.get("/org/limits");
    expect(await lastUse(client, key.id)).toBeGreaterThanOrEqual(first + HOUR_MS);
  });

  it("is written by one statement an hour", async () => {
    const { client } = await createKey(await newClient());
    const prepare = vi.spyOn(env.DB, "prepare");
    const countUpdates = () =>
      prepare.mock.calls.filter(([statement]) => /^update "api_keys"/i.test(statement)).length;
    for (const [elapsedMs, updates] of [
      [0, 1],
      [0, 1],
      [60_000, 1],
      [HOUR_MS, 2],
    ] as const) {
      advanceTime(elapsedMs);
      expect((await client.get("/org/limits")).status).toBe(200);
      expect(countUpdates()).toBe(updates);
    }
    prepare.mockRestore();
  });

  it("is not overwritten by another location within the hour", async () => {
    const client = await newClient();
    const { id } = await createKey(client);
    const database = openDatabase(env.DB);
    await recordKeyUse(database, id, HOUR_MS);
    await recordKeyUse(database, id, 2 * HOUR_MS - 1);
    expect(await lastUse(client, id)).toBe(HOUR_MS);
    await recordKeyUse(database, id, 2 * HOUR_MS);
    expect(await lastUse(client, id)).toBe(2 * HOUR_MS);
  });

  it("does not fail a call when it cannot be written, which is logged", async () => {
    const client = await newClient();
    const key = await createKey(client);
    const error = vi.spyOn(console, "error");
    await env.DB.prepare(
      `CREATE TRIGGER refuse_use BEFORE UPDATE OF last_used_at ON api_keys WHEN old.id = '${key.id}'
        BEGIN SELECT raise(ABORT, 'refused by a test'); END`,
    ).run();
    try {
      expect((await key.client.get("/org/limits")).status).toBe(200);
    } finally {
      await env.DB.exec("DROP TRIGGER refuse_use");
    }
    expect(error.mock.calls.flat().join()).toContain("api_key_use_not_recorded");
    expect(await lastUse(client, key.id)).toBeNull();
    error.mockRestore();
  });
});
