import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { poolSchema } from "../../src/browser-pools/schema.ts";
import { type Client, newClient } from "../api.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";
import { createPool, endPoolsAfterAll, readPool } from "./pools.ts";

useFakeBrowsers();
endPoolsAfterAll();

/** No browser is launched for it. */
const PAUSED = { size: 1, fill_rate_per_minute: 0 };

describe("a pool", () => {
  let client: Client;
  beforeAll(async () => {
    client = await newClient();
  });

  it("is as specified, with the defaults of a new one", async () => {
    const answer = await client.post("/browser_pools", { size: 2 });
    expect(answer.json).toEqual({
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
      },
      extension_ids: [],
    });
  });

  it("is created as asked, and found by id and by name", async () => {
    const asked = {
      ...PAUSED,
      name: "as-asked",
      timeout_seconds: 60,
      headless: true,
      stealth: true,
      kiosk_mode: true,
      viewport: { width: 1024, height: 768 },
      start_url: "https://example.com/",
    };
    const pool = await createPool(client, { ...asked, discard_all_idle: true, proxy_id: "", unknown: 1 });
    expect(pool.name).toBe("as-asked");
    expect(pool.browser_pool_config).toEqual({
      ...asked,
      viewport: { width: 1024, height: 768, refresh_rate: 60 },
      extensions: [],
    });
    expect(await readPool(client, pool.id)).toEqual(pool);
    expect(await readPool(client, "as-asked")).toEqual(pool);
  });

  it("is never found by a name that is another's id", async () => {
    const pool = await createPool(client, PAUSED);
    const shadow = await createPool(client, { ...PAUSED, name: pool.id });
    expect((await readPool(client, pool.id)).id).toBe(pool.id);
    expect((await client.post(`/browser_pools/${pool.id}/flush`)).status).toBe(204);
    expect((await client.delete(`/browser_pools/${pool.id}`)).status).toBe(204);
    // Nobody has the id any more, so the name counts.
    expect((await readPool(client, pool.id)).id).toBe(shadow.id);
    expect((await client.delete(`/browser_pools/${pool.id}`)).status).toBe(204);
    expect((await client.get(`/browser_pools/${shadow.id}`)).status).toBe(404);
  });

  it("changes where a change says so, and keeps the rest", async () => {
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

  it("has a name that no other pool of the organization has, also of two at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => client.post("/browser_pools", { ...PAUSED, name: "unique" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.error).toMatchObject({ code: "conflict", message: expect.stringContaining("name") });
    expect(refused?.headers.get("x-should-retry")).toBe("false");
    const other = await createPool(client, PAUSED);
    expect((await client.patch(`/browser_pools/${other.id}`, { size: 1, name: "unique" })).status).toBe(409);
    expect((await readPool(client, other.id)).name).toBeUndefined();
    const stranger = await newClient();
    expect((await createPool(stranger, { ...PAUSED, name: "unique" })).name).toBe("unique");
  });
});

describe("the sizes of an organization's pools", () => {
  it("are together within its limit, also of many creates at once", async () => {
    const client = await newClient({ max_pooled_sessions: 5 });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.post("/browser_pools", { ...PAUSED, size: 2 })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer.fieldsAtFault).toEqual(["size"]);
      expect(answer.error.message).toContain("max_pooled_sessions");
    }
    expect((await client.post("/browser_pools", PAUSED)).status).toBe(200);
    expect((await client.post("/browser_pools", PAUSED)).fieldsAtFault).toEqual(["size"]);
  });

  it("are within it as pools grow, also of two at once, and leave a pool as it was where they are not", async () => {
    const client = await newClient({ max_pooled_sessions: 5 });
    const pools = [await createPool(client, PAUSED), await createPool(client, PAUSED)];
    const answers = await Promise.all(
      pools.map(({ id }) => client.patch(`/browser_pools/${id}`, { size: 4, name: `grown-${id}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const after = await Promise.all(pools.map(({ id }) => readPool(client, id)));
    expect(after.map(({ browser_pool_config }) => browser_pool_config.size).sort()).toEqual([1, 4]);
    expect(after.filter(({ name }) => name !== undefined)).toHaveLength(1);
  });

  it("may stay over a limit that went down, and shrink, but not grow", async () => {
    const client = await newClient({ max_pooled_sessions: 5 });
    const { id } = await createPool(client, { ...PAUSED, size: 4 });
    await env.DB.prepare("UPDATE organizations SET max_pooled_sessions = 2 WHERE id = ?")
      .bind(client.organizationId)
      .run();
    expect((await client.patch(`/browser_pools/${id}`, { size: 4, name: "kept" })).status).toBe(200);
    expect((await client.patch(`/browser_pools/${id}`, { size: 3 })).status).toBe(200);
    expect((await client.patch(`/browser_pools/${id}`, { size: 4 })).fieldsAtFault).toEqual(["size"]);
    expect((await readPool(client, id)).browser_pool_config.size).toBe(3);
  });

  it("are the service's default where the organization has no limit of its own", async () => {
    const client = await newClient();
    expect((await client.post("/browser_pools", { ...PAUSED, size: 101 })).fieldsAtFault).toEqual(["size"]);
    expect((await client.post("/browser_pools", { ...PAUSED, size: 100 })).status).toBe(200);
  });
});

describe("a list of pools", () => {
  let client: Client;
  let ids: string[];
  beforeAll(async () => {
    client = await newClient();
    ids = [];
    for (let pool = 0; pool < 23; pool += 1) {
      ids.unshift((await createPool(client, { ...PAUSED, name: `pool-${pool}` })).id);
    }
    // The newest first, and by their ids where several are of the same moment.
    const at = new Map<string, string>();
    for (const id of ids) at.set(id, (await readPool(client, id)).created_at);
    ids.sort((first, second) => (`${at.get(first)} ${first}` < `${at.get(second)} ${second}` ? 1 : -1));
  });

  const list = async (query: string) => {
    const answer = await client.get(`/browser_pools${query}`);
    const { headers } = answer;
    return {
      ids: answer.read(poolSchema.array()).map(({ id }) => id),
      more: headers.get("x-has-more"),
      next: headers.get("x-next-offset"),
    };
  };

  it("is every pool without a limit", async () => {
    expect(await list("")).toEqual({ ids, more: "false", next: null });
    expect((await list("?offset=20")).ids).toEqual(ids.slice(20));
  });

  it("is a page with one", async () => {
    expect(await list("?limit=10")).toEqual({ ids: ids.slice(0, 10), more: "true", next: "10" });
    expect(await list("?limit=10&offset=20")).toEqual({ ids: ids.slice(20), more: "false", next: null });
    expect((await list("?limit=5&offset=100")).ids).toEqual([]);
  });

  it("is of a name, or of part of one, or of an id", async () => {
    expect((await list("?name=pool-7")).ids).toHaveLength(1);
    expect((await list("?name=pool")).ids).toEqual([]);
    expect((await list("?query=OOL-1")).ids).toHaveLength(11);
    expect((await list(`?query=${ids[3]}`)).ids).toEqual([ids[3]]);
  });
});
