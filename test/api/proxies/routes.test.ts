import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { proxyCheckSchema, proxySchema } from "../../../src/features/proxies/schema.ts";
import { recordHealth } from "../../../src/features/proxies/store.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { newClient, useNewClient } from "../../api.ts";
import { changeProxyRow, createProxy, readProxyRow } from "../../features/proxies/proxies.ts";

/** Nothing listens on it, so that connections fail immediately. */
const CLOSED_PORT = 1;
const PASSWORD = "correct-horse-battery";

const client = useNewClient();
afterEach(() => {
  env.ALLOW_PRIVATE_ADDRESSES = "false";
  env.PROXY_UPSTREAM_RESIDENTIAL = undefined;
});

function createCustom(config: object = {}) {
  env.ALLOW_PRIVATE_ADDRESSES = "true";
  return createProxy(client, {
    type: "custom",
    protocol: "http",
    config: { host: "127.0.0.1", port: CLOSED_PORT, username: "user", password: PASSWORD, ...config },
  });
}

describe("a proxy", () => {
  it("is unavailable without an upstream for its type", async () => {
    const proxy = await createProxy(client, { type: "isp" });
    expect(proxy).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      type: "isp",
      protocol: "https",
      config: { country: "US" },
      bypass_hosts: [],
      status: "unavailable",
      last_checked: expect.any(String),
    });
    expect((await client.post(`/proxies/${proxy.id}/check`)).json).toMatchObject({ status: "unavailable" });
  });

  it("is created as unavailable when its host does not resolve", async () => {
    const config = { host: "proxy.invalid", port: 3128 };
    expect(await createProxy(client, { type: "custom", config })).toMatchObject({ status: "unavailable" });
  });

  it("is renamed without other changes", async () => {
    const proxy = await createProxy(client, { type: "isp", name: "one" });
    const response = await client.patch(`/proxies/${proxy.id}`, {
      name: " two ",
      type: "mobile",
      status: "available",
    });
    expect(response.read(proxySchema)).toEqual({ ...proxy, name: "two" });
    await createProxy(client, { type: "isp", name: "two" });
    expect((await client.get("/proxies?name=two")).read(proxySchema.array())).toHaveLength(2);
  });

  it("is not found by any route after deletion", async () => {
    const { id } = await createProxy(client);
    expect((await client.delete(`/proxies/${id}`)).status).toBe(204);
    expect((await client.get(`/proxies/${id}`)).status).toBe(404);
    expect((await client.patch(`/proxies/${id}`, { name: "x" })).status).toBe(404);
    expect((await client.post(`/proxies/${id}/check`)).status).toBe(404);
    expect((await client.delete(`/proxies/${id}`)).status).toBe(404);
    expect((await client.get("/proxies")).json).toEqual([]);
  });
});

describe("a proxy password", () => {
  it("is stored encrypted, and never returned or logged", async () => {
    const logged = [vi.spyOn(console, "log"), vi.spyOn(console, "error")];
    const proxy = await createCustom();
    expect(proxy.config).toEqual({
      host: "127.0.0.1",
      port: CLOSED_PORT,
      username: "user",
      has_password: true,
    });
    const responses = [
      await client.get(`/proxies/${proxy.id}`),
      await client.get("/proxies"),
      await client.post(`/proxies/${proxy.id}/check`),
      await client.post("/proxies", { type: "custom", config: { password: PASSWORD } }),
    ];
    for (const { text } of responses) expect(text).not.toContain(PASSWORD);
    const row = await readProxyRow(proxy.id);
    expect(JSON.stringify(row)).not.toContain(PASSWORD);
    expect(row?.encryptedPassword).toMatch(/^[A-Za-z0-9+/]{40,}=*$/);
    expect(atob(row?.encryptedPassword ?? "")).not.toContain(PASSWORD);
    const lines = logged.flatMap((spy) => spy.mock.calls.flat());
    expect(lines.join("\n")).toContain("/proxies");
    expect(lines.join("\n")).not.toContain(PASSWORD);
    vi.restoreAllMocks();
  });

  it("is optional", async () => {
    const { id, config } = await createCustom({ username: undefined, password: undefined });
    expect(config).toEqual({ host: "127.0.0.1", port: CLOSED_PORT, has_password: false });
    expect((await readProxyRow(id))?.encryptedPassword).toBeNull();
  });

  it("makes the proxy unavailable when it cannot be decrypted", async () => {
    const error = vi.spyOn(console, "error");
    const { id } = await createCustom();
    const other = await createCustom();
    const { encryptedPassword = null } = (await readProxyRow(other.id)) ?? {};
    await changeProxyRow(id, { encryptedPassword, status: "available" });
    expect((await client.post(`/proxies/${id}/check`)).json).toMatchObject({ status: "unavailable" });
    expect(error.mock.calls.flat().join()).toContain("proxy_password_unreadable");
    vi.restoreAllMocks();
  });
});

describe("GET /proxies", () => {
  it("pages through proxies, newest first", async () => {
    const created = [];
    for (const name of ["a", "b", "c"]) created.push(await createProxy(client, { type: "isp", name }));
    for (const [index, { id }] of created.entries()) await changeProxyRow(id, { createdAt: index });
    const page = await client.get("/proxies?limit=2");
    expect(page.read(proxySchema.array()).map(({ name }) => name)).toEqual(["c", "b"]);
    expect([page.headers.get("x-has-more"), page.headers.get("x-next-offset")]).toEqual(["true", "2"]);
    const last = await client.get("/proxies?limit=2&offset=2");
    expect(last.read(proxySchema.array()).map(({ name }) => name)).toEqual(["a"]);
    expect([last.headers.get("x-has-more"), last.headers.get("x-next-offset")]).toEqual(["false", null]);
    expect((await client.get("/proxies?limit=0")).invalidFields).toEqual(["limit"]);
  });

  it("filters by name, and by part of a name, host or address, or by id", async () => {
    const office = await createProxy(client, { type: "isp", name: "Office" });
    const { id } = await createCustom();
    await changeProxyRow(office.id, { ipAddress: "93.184.215.14" });
    for (const [query, expected] of [
      ["name=Office", [office.id]],
      ["name=Offic", []],
      ["query=FFI", [office.id]],
      ["query=184.215", [office.id]],
      ["query=127.0", [id]],
      [`query=${id}`, [id]],
      [`query=${id.slice(1)}`, []],
      ["query=%25", []],
    ] as const) {
      const found = (await client.get(`/proxies?${query}`)).read(proxySchema.array());
      expect(
        found.map((proxy) => proxy.id),
        query,
      ).toEqual(expected);
    }
  });
});

describe("GET /proxies/{id}/checks", () => {
  async function list(id: string, query = "") {
    return (await client.get(`/proxies/${id}/checks${query}`)).read(proxyCheckSchema.array());
  }

  it("lists the check at the creation and later ones, newest first, without those of a URL", async () => {
    const { id, last_checked } = await createCustom();
    const first = {
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      checked_at: last_checked,
      status: "unavailable",
      duration_ms: expect.any(Number),
    };
    expect(await list(id)).toEqual([first]);
    const withURL = { url: `http://127.0.0.1:${CLOSED_PORT}` };
    expect((await client.post(`/proxies/${id}/check`, withURL)).status).toBe(200);
    expect(await list(id)).toEqual([first]);
    const { last_checked: again } = (await client.post(`/proxies/${id}/check`)).read(proxySchema);
    expect(await list(id)).toEqual([{ ...first, checked_at: again }, first]);
    const health = { status: "available", ipAddress: "203.0.113.7", durationMs: 12 } as const;
    await recordHealth(openDatabase(env.DB), id, { ...health, checkedAt: Date.UTC(2200, 0) });
    const [latest] = await list(id, "?limit=1");
    expect(latest).toMatchObject({
      checked_at: "2200-01-01T00:00:00.000Z",
      status: "available",
      duration_ms: 12,
      ip_address: "203.0.113.7",
    });
    const page = await client.get(`/proxies/${id}/checks?limit=2&offset=1`);
    expect(page.read(proxyCheckSchema.array())).toEqual([{ ...first, checked_at: again }, first]);
    expect(page.headers.get("x-has-more")).toBe("false");
    expect((await client.get(`/proxies/${id}/checks?limit=2`)).headers.get("x-next-offset")).toBe("2");
  });

  it("answers 404 for a deleted proxy and for another organization", async () => {
    const { id } = await createProxy(client);
    expect((await (await newClient()).get(`/proxies/${id}/checks`)).status).toBe(404);
    await client.delete(`/proxies/${id}`);
    expect((await client.get(`/proxies/${id}/checks`)).status).toBe(404);
  });

  it("has no check of a proxy that was refused at the quota", async () => {
    const { MAX_PROXIES } = env;
    env.MAX_PROXIES = "0";
    const before = await countChecks();
    try {
      expect((await client.post("/proxies", { type: "isp" })).status).toBe(429);
    } finally {
      env.MAX_PROXIES = MAX_PROXIES;
    }
    expect(await countChecks()).toBe(before);
  });
});

/** Checks without a proxy. */
async function countChecks(): Promise<number | undefined> {
  const statement =
    "SELECT count(*) AS count FROM proxy_checks WHERE proxy_id NOT IN (SELECT id FROM proxies)";
  return (await env.DB.prepare(statement).first<{ count: number }>())?.count;
}

describe("an upstream template", () => {
  beforeEach(() => {
    env.PROXY_UPSTREAM_RESIDENTIAL = `http://acme-cc-{country}[-city-{city}]:${PASSWORD}@127.0.0.1:${CLOSED_PORT}`;
  });

  it("requires its options and rejects others", async () => {
    const create = (config: object) => client.post("/proxies", { type: "residential", config });
    expect((await create({})).invalidFields).toEqual(["config.country"]);
    expect((await create({ country: "US", zip: "94107" })).invalidFields).toEqual(["config.zip"]);
    expect((await create({ country: "US", state: "CA" })).invalidFields).toEqual(["config.state"]);
    const response = await create({ country: "US", city: "austin" });
    expect([response.status, response.json]).toMatchObject([201, { status: "unavailable" }]);
    expect(response.text).not.toContain(PASSWORD);
  });
});
