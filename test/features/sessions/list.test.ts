import { beforeAll, describe, expect, it } from "vitest";
import { type Client, newClient } from "../../api.ts";
import { insertEndedRow, insertSessionRow } from "../../records.ts";

describe("GET /browsers", () => {
  let client: Client;
  let active: string;
  let ended: string;

  beforeAll(async () => {
    client = await newClient();
    const { organizationId } = client;
    active = (await insertSessionRow({ organizationId, createdAt: 2 })).id;
    ended = (await insertEndedRow({ organizationId, createdAt: 1 })).id;
    await insertSessionRow({ organizationId, createdAt: 3, state: "starting" });
    await insertSessionRow({ organizationId: "somebody else's", createdAt: 4 });
  });

  const selections: [string, ("active" | "ended")[]][] = [
    ["", ["active"]],
    ["?status=active", ["active"]],
    ["?status=deleted", ["ended"]],
    ["?status=all", ["active", "ended"]],
    ["?include_deleted=true", ["active", "ended"]],
    ["?include_deleted=false", ["active"]],
    ["?include_deleted=true&status=active", ["active", "ended"]],
    ["?include_deleted=true&status=deleted", ["ended"]],
    ["?include_deleted=false&status=deleted", ["ended"]],
    ["?include_deleted=true&status=all", ["active", "ended"]],
    ["?include_deleted=false&status=all", ["active", "ended"]],
  ];

  it.each(selections)("with %j lists the %j sessions of the organization", async (query, expected) => {
    const ids = { active, ended };
    expect((await client.listSessions(query)).ids).toEqual(expected.map((state) => ids[state]));
  });

  it("shows the end time and reason of ended sessions only", async () => {
    const response = await client.get("/browsers?status=all");
    expect(response.json).toEqual([
      expect.not.objectContaining({ deleted_at: expect.anything(), end_reason: expect.anything() }),
      expect.objectContaining({ deleted_at: expect.any(String), end_reason: "deleted" }),
    ]);
  });

  it("returns an empty array without sessions", async () => {
    const response = await (await newClient()).get("/browsers");
    expect(response.json).toEqual([]);
    expect(response.headers.get("x-has-more")).toBe("false");
    expect(response.headers.has("x-next-offset")).toBe(false);
  });
});

describe("pagination of GET /browsers", () => {
  let client: Client;
  /** 23 sessions with five creation times, in the expected order. */
  let expected: string[];

  beforeAll(async () => {
    client = await newClient();
    const { organizationId } = client;
    const rows = [];
    for (let index = 0; index < 23; index += 1) {
      rows.push(await insertSessionRow({ organizationId, createdAt: 1000 + (index % 5) }));
    }
    rows.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    expected = rows.map(({ id }) => id);
  });

  it("lists newest first with ties by id, twenty per page", async () => {
    const { ids, headers } = await client.listSessions();
    expect(ids).toEqual(expected.slice(0, 20));
    expect(headers.get("x-has-more")).toBe("true");
    expect(headers.get("x-next-offset")).toBe("20");
  });

  it.each([1, 7, 23, 100])("lists each session once in pages of %d", async (limit) => {
    const seen: string[] = [];
    for (let offset: string | null = "0"; offset !== null; ) {
      const { ids, headers } = await client.listSessions(`?limit=${limit}&offset=${offset}`);
      seen.push(...ids);
      offset = headers.get("x-next-offset");
      expect(headers.get("x-has-more")).toBe(String(offset !== null));
    }
    expect(seen).toEqual(expected);
  });

  it("continues after a session is added at the front", async () => {
    const { organizationId } = client;
    const first = await client.listSessions("?limit=5");
    const added = await insertSessionRow({ organizationId, createdAt: 9999 });
    const next = await client.listSessions("?limit=5&offset=6");
    expect([...first.ids, ...next.ids]).toEqual(expected.slice(0, 10));
    expect((await client.listSessions("?limit=1")).ids).toEqual([added.id]);
  });

  it("returns an empty page beyond the end", async () => {
    const { ids, headers } = await client.listSessions("?offset=1000");
    expect(ids).toEqual([]);
    expect(headers.get("x-has-more")).toBe("false");
  });
});

describe("filters of GET /browsers", () => {
  let client: Client;
  let ids: Record<"checkout" | "percent" | "plain" | "nameless", string>;

  beforeAll(async () => {
    client = await newClient();
    const { organizationId } = client;
    const insert = async (createdAt: number, name: string | null, tags: Record<string, string>) =>
      (await insertSessionRow({ organizationId, createdAt, name, tags })).id;
    ids = {
      checkout: await insert(4, "Checkout-Run_1", { team: "shop", stage: "live" }),
      percent: await insert(3, "checkoutXrun.1", { team: "shop", stage: "test" }),
      plain: await insert(2, "other", { team: "data", 'odd "key" [1]': "it's" }),
      nameless: await insert(1, null, {}),
    };
  });

  const filters: [string, (keyof typeof ids)[]][] = [
    ["query=checkout", ["checkout", "percent"]],
    ["query=CHECKOUT-RUN", ["checkout"]],
    ["query=run_1", ["checkout"]],
    ["query=%25", []],
    ["query=_", ["checkout"]],
    ["query=%5C", []],
    ["query=nothing", []],
    ["query=", ["checkout", "percent", "plain", "nameless"]],
    ["tags[team]=shop", ["checkout", "percent"]],
    ["tags%5Bteam%5D=data", ["plain"]],
    ["tags[team]=shop&tags[stage]=live", ["checkout"]],
    ["tags[team]=shop&tags[stage]=other", []],
    ["tags[team]=SHOP", []],
    ["tags[unknown]=shop", []],
    [`tags[${encodeURIComponent('odd "key" [1]')}]=it's`, ["plain"]],
    ["query=run&tags[stage]=test", ["percent"]],
  ];

  it.each(filters)("%s finds %j", async (query, expected) => {
    expect((await client.listSessions(`?${query}`)).ids).toEqual(expected.map((name) => ids[name]));
  });

  it("finds a session by its full id only", async () => {
    expect((await client.listSessions(`?query=${ids.nameless}`)).ids).toEqual([ids.nameless]);
    expect((await client.listSessions(`?query=${ids.nameless.slice(0, 20)}`)).ids).toEqual([]);
  });
});

describe("filters of GET /browsers by id", () => {
  const FILTERS = { pool_id: "poolId", proxy_id: "proxyId", profile_id: "profileId", api_key_id: "apiKeyId" };

  it.each(Object.entries(FILTERS))("%s finds the sessions that have it", async (parameter, column) => {
    const client = await newClient();
    const { organizationId } = client;
    const active = await insertSessionRow({ organizationId, createdAt: 3, [column]: "wanted" });
    const ended = await insertEndedRow({ organizationId, createdAt: 2, [column]: "wanted" });
    await insertSessionRow({ organizationId, [column]: "wanted too" });
    await insertSessionRow({ organizationId });
    await insertSessionRow({ organizationId: "somebody else's", [column]: "wanted" });
    expect((await client.listSessions(`?${parameter}=wanted`)).ids).toEqual([active.id]);
    const all = await client.listSessions(`?status=all&${parameter}=wanted`);
    expect(all.ids).toEqual([active.id, ended.id]);
    expect((await client.listSessions(`?${parameter}=want`)).ids).toEqual([]);
    expect((await client.listSessions(`?${parameter}=wanted&query=${ended.id}`)).ids).toEqual([]);
  });
});
