import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { poolSchema } from "../../../src/features/browser-pools/schema.ts";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { createPool, endPoolsAfterAll, readPool } from "./pools.ts";

useFakeBrowsers();
endPoolsAfterAll();

/** Never launches a browser. */
const PAUSED = { size: 1, fill_rate_per_minute: 0 };

describe("the configuration of a pool", () => {
  let client: Client;
  beforeAll(async () => {
    client = await newClient();
  });

  it("layers changes of telemetry onto the current one", async () => {
    const pool = await createPool(client, { ...PAUSED, telemetry: { enabled: true } });
    const change = async (telemetry: object | null) => {
      const response = await client.patch(`/browser_pools/${pool.id}`, { size: 1, telemetry });
      return response.read(poolSchema).browser_pool_config.telemetry?.browser;
    };
    expect(pool.browser_pool_config.telemetry?.browser.control).toEqual({ enabled: true });
    expect(await change({ browser: { console: { enabled: true } } })).toMatchObject({
      control: { enabled: true },
      console: { enabled: true },
    });
    expect(await change(null)).toMatchObject({ console: { enabled: true } });
    expect(await change({ enabled: false })).toBeUndefined();
  });

  it("is recorded or headless, not both", async () => {
    const { id, browser_pool_config } = await createPool(client, { ...PAUSED, record: true });
    expect(browser_pool_config.record).toBe(true);
    const change = (body: object) => client.patch(`/browser_pools/${id}`, { size: 1, ...body });
    expect((await change({ headless: true })).invalidFields).toEqual(["record"]);
    expect((await readPool(client, id)).browser_pool_config).toMatchObject({ headless: false, record: true });
    const changed = (await change({ headless: true, record: false })).read(poolSchema);
    expect(changed.browser_pool_config).toMatchObject({ headless: true, record: false });
    expect((await change({ record: true })).invalidFields).toEqual(["record"]);
    const acquire = await client.post(`/browser_pools/${id}/acquire`, { record: true });
    expect(acquire.invalidFields).toEqual(["record"]);
  });

  it("has defaults", async () => {
    const response = await client.post("/browser_pools", { size: 2 });
    expect(response.json).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      created_at: expect.stringMatching(/Z$/),
      available_count: 0,
      acquired_count: 0,
      browser_pool_config: {
        size: 2,
        fill_rate_per_minute: 10,
        timeout_seconds: 600,
        headless: false,
        stealth: false,
        kiosk_mode: false,
        viewport: { width: 1920, height: 1080, refresh_rate: 25 },
        extensions: [],
        telemetry: null,
        record: false,
        machine: "simulated",
      },
      extension_ids: [],
    });
  });

  it("is created as requested and found by id and name", async () => {
    const requested = {
      ...PAUSED,
      name: "as-requested",
      timeout_seconds: 60,
      headless: true,
      stealth: true,
      kiosk_mode: true,
      viewport: { width: 1024, height: 768 },
      start_url: "https://example.com/",
    };
    const pool = await createPool(client, { ...requested, discard_all_idle: true, proxy_id: "", unknown: 1 });
    expect(pool.name).toBe("as-requested");
    expect(pool.browser_pool_config).toEqual({
      ...requested,
      viewport: { width: 1024, height: 768, refresh_rate: 60 },
      extensions: [],
      telemetry: null,
      record: false,
      machine: "simulated",
    });
    expect(await readPool(client, pool.id)).toEqual(pool);
    expect(await readPool(client, "as-requested")).toEqual(pool);
  });

  it("is not found by a name that is another pool's id", async () => {
    const pool = await createPool(client, PAUSED);
    const shadow = await createPool(client, { ...PAUSED, name: pool.id });
    expect((await readPool(client, pool.id)).id).toBe(pool.id);
    expect((await client.post(`/browser_pools/${pool.id}/flush`)).status).toBe(204);
    expect((await client.delete(`/browser_pools/${pool.id}`)).status).toBe(204);
    // The id is free now, so the name matches.
    expect((await readPool(client, pool.id)).id).toBe(shadow.id);
    expect((await client.delete(`/browser_pools/${pool.id}`)).status).toBe(204);
    expect((await client.get(`/browser_pools/${shadow.id}`)).status).toBe(404);
  });

  it("changes only the given fields", async () => {
    const { id, created_at } = await createPool(client, {
      ...PAUSED,
      name: "before",
      timeout_seconds: 90,
      start_url: "https://example.com/",
    });
    const change = async (body: object) =>
      (await client.patch(`/browser_pools/${id}`, body)).read(poolSchema).browser_pool_config;
    const before = (await readPool(client, id)).browser_pool_config;
    expect(await change({ size: 1 })).toEqual(before);
    expect(await change({ size: 1, name: "", proxy_id: "", profile: { id: "" }, extensions: [] })).toEqual(
      before,
    );
    expect(await change({ size: 1, name: "after", stealth: true, start_url: "" })).toEqual({
      ...before,
      name: "after",
      stealth: true,
      start_url: undefined,
    });
    expect(await change({ size: 1, viewport: { width: 1200, height: 800 } })).toMatchObject({
      name: "after",
      viewport: { width: 1200, height: 800, refresh_rate: 60 },
    });
    expect(await readPool(client, "after")).toMatchObject({ id, created_at });
    expect((await client.get("/browser_pools/before")).status).toBe(404);
  });

  it("has a unique name in its organization, even with concurrent requests", async () => {
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => client.post("/browser_pools", { ...PAUSED, name: "unique" })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const refused = responses.find(({ status }) => status === 409);
    expect(refused?.error).toMatchObject({ code: "conflict", message: expect.stringContaining("name") });
    expect(refused?.headers.get("x-should-retry")).toBe("false");
    const other = await createPool(client, PAUSED);
    expect((await client.patch(`/browser_pools/${other.id}`, { size: 1, name: "unique" })).status).toBe(409);
    expect((await readPool(client, other.id)).name).toBeUndefined();
    const otherClient = await newClient();
    expect((await createPool(otherClient, { ...PAUSED, name: "unique" })).name).toBe("unique");
  });
});

describe("the limit of pooled sessions", () => {
  it("covers all pools, even with concurrent creates", async () => {
    const client = await newClient({ max_pooled_sessions: 5 });
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => client.post("/browser_pools", { ...PAUSED, size: 2 })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(2);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expect(response.invalidFields).toEqual(["size"]);
      expect(response.error.message).toContain("max_pooled_sessions");
    }
    expect((await client.post("/browser_pools", PAUSED)).status).toBe(200);
    expect((await client.post("/browser_pools", PAUSED)).invalidFields).toEqual(["size"]);
  });

  it("covers growing pools and leaves a rejected one unchanged", async () => {
    const client = await newClient({ max_pooled_sessions: 5 });
    const pools = [await createPool(client, PAUSED), await createPool(client, PAUSED)];
    const responses = await Promise.all(
      pools.map(({ id }) => client.patch(`/browser_pools/${id}`, { size: 4, name: `grown-${id}` })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    const after = await Promise.all(pools.map(({ id }) => readPool(client, id)));
    expect(after.map(({ browser_pool_config }) => browser_pool_config.size).sort()).toEqual([1, 4]);
    expect(after.filter(({ name }) => name !== undefined)).toHaveLength(1);
  });

  it("lets pools above a lowered limit shrink but not grow", async () => {
    const client = await newClient({ max_pooled_sessions: 5 });
    const { id } = await createPool(client, { ...PAUSED, size: 4 });
    await env.DB.prepare("UPDATE organizations SET max_pooled_sessions = 2 WHERE id = ?")
      .bind(client.organizationId)
      .run();
    expect((await client.patch(`/browser_pools/${id}`, { size: 4, name: "kept" })).status).toBe(200);
    expect((await client.patch(`/browser_pools/${id}`, { size: 3 })).status).toBe(200);
    expect((await client.patch(`/browser_pools/${id}`, { size: 4 })).invalidFields).toEqual(["size"]);
    expect((await readPool(client, id)).browser_pool_config.size).toBe(3);
  });

  it("defaults to the service's limit", async () => {
    const client = await newClient();
    expect((await client.post("/browser_pools", { ...PAUSED, size: 101 })).invalidFields).toEqual(["size"]);
    expect((await client.post("/browser_pools", { ...PAUSED, size: 100 })).status).toBe(200);
  });
});

describe("GET /browser_pools", () => {
  let client: Client;
  let ids: string[];
  beforeAll(async () => {
    client = await newClient();
    ids = [];
    for (let pool = 0; pool < 23; pool += 1) {
      ids.unshift((await createPool(client, { ...PAUSED, name: `pool-${pool}` })).id);
    }
    // Newest first, with ties by id.
    const createdAt = new Map<string, string>();
    for (const id of ids) createdAt.set(id, (await readPool(client, id)).created_at);
    ids.sort((first, second) =>
      `${createdAt.get(first)} ${first}` < `${createdAt.get(second)} ${second}` ? 1 : -1,
    );
  });

  const list = async (query: string) => {
    const response = await client.get(`/browser_pools${query}`);
    const { headers } = response;
    return {
      ids: response.read(poolSchema.array()).map(({ id }) => id),
      more: headers.get("x-has-more"),
      next: headers.get("x-next-offset"),
    };
  };

  it("lists every pool without a limit", async () => {
    expect(await list("")).toEqual({ ids, more: "false", next: null });
    expect((await list("?offset=20")).ids).toEqual(ids.slice(20));
  });

  it("lists a page with a limit", async () => {
    expect(await list("?limit=10")).toEqual({ ids: ids.slice(0, 10), more: "true", next: "10" });
    expect(await list("?limit=10&offset=20")).toEqual({ ids: ids.slice(20), more: "false", next: null });
    expect((await list("?limit=5&offset=100")).ids).toEqual([]);
  });

  it("filters by name, part of a name, or id", async () => {
    expect((await list("?name=pool-7")).ids).toHaveLength(1);
    expect((await list("?name=pool")).ids).toEqual([]);
    expect((await list("?query=OOL-1")).ids).toHaveLength(11);
    expect((await list(`?query=${ids[3]}`)).ids).toEqual([ids[3]]);
  });
});
