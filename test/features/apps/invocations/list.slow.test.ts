import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { app } from "../../../../src/app.ts";
import { streamInvocations } from "../../../../src/features/apps/invocations/invocation-json.ts";
import { invocationSchema } from "../../../../src/features/apps/invocations/schema.ts";
import { storeValue, VALUE_KINDS } from "../../../../src/features/apps/invocations/value-storage.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import type { InvocationRow } from "../../../../src/lib/database/schema/apps.ts";
import { SINCE_FORMATS } from "../../../../src/lib/http/parse-since.ts";
import { type Client, newClient } from "../../../api.ts";
import { insertInvocationRow, listInvocations } from "./invocations.ts";

const MINUTE = 60_000;

describe("filters of GET /invocations", () => {
  let client: Client;
  const now = Date.now();
  const rows: Record<string, InvocationRow> = {};

  beforeAll(async () => {
    client = await newClient();
    const { organizationId } = client;
    const details: Record<string, Partial<InvocationRow>> = {
      a: { appName: "shop", actionName: "buy", version: "1", deploymentId: "first", status: "queued" },
      b: { appName: "shop", actionName: "sell", version: "2", deploymentId: "second", status: "running" },
      c: { appName: "News", actionName: "read", version: "1", deploymentId: "third", status: "succeeded" },
      d: { appName: "News", actionName: "Shopping", version: "2", deploymentId: "third", status: "failed" },
    };
    for (const [index, [name, detail]] of Object.entries(details).entries()) {
      rows[name] = await insertInvocationRow({
        organizationId,
        startedAt: now - (index + 1) * 10 * MINUTE,
        ...detail,
      });
    }
    await insertInvocationRow({ organizationId: "somebody else's", appName: "shop", deploymentId: "first" });
  });

  const table: [query: string, names: string][] = [
    ["", "abcd"],
    ["?app_name=shop", "ab"],
    ["?app_name=Shop", ""],
    ["?app_name=sho", ""],
    ["?version=1", "ac"],
    ["?action_name=read", "c"],
    ["?deployment_id=third", "cd"],
    ["?deployment_id=first", "a"],
    ["?status=queued", "a"],
    ["?status=running", "b"],
    ["?status=succeeded", "c"],
    ["?status=failed", "d"],
    ["?since=5m", ""],
    ["?since=15m", "a"],
    ["?since=0.5h", "ab"],
    ["?since=35m", "abc"],
    ["?since=1h30m", "abcd"],
    ["?since=", "abcd"],
    ["?query=shop", "abd"],
    ["?query=SHOP", "abd"],
    ["?query=EW", "cd"],
    ["?query=%25", ""],
    ["?query=", "abcd"],
    [`?query=${"long".repeat(100)}`, ""],
    ["?app_name=shop&version=2", "b"],
    ["?app_name=shop&action_name=buy&version=1&deployment_id=first&status=queued&since=1h&query=hop", "a"],
    ["?app_name=shop&action_name=buy&version=1&deployment_id=first&status=queued&since=5m&query=hop", ""],
    ["?deployment_id=third&status=failed", "d"],
    ["?query=shop&status=failed", "d"],
    ["?query=shop&since=25m", "ab"],
    ["?limit=2", "ab"],
    ["?limit=2&offset=1", "bc"],
    ["?version=2&limit=1&offset=1", "d"],
    ["?offset=4", ""],
    ["?offset=1000000", ""],
  ];

  it.each(table)("%s finds %j", async (query, names) => {
    const { ids } = await listInvocations(client, query);
    expect(ids).toEqual([...names].map((name) => rows[name]?.id));
  });

  it("match an invocation by its full id only", async () => {
    const { id = "" } = rows.b ?? {};
    expect((await listInvocations(client, `?query=${id}`)).ids).toEqual([id]);
    expect((await listInvocations(client, `?query=${id.slice(0, 12)}`)).ids).toEqual([]);
    const otherClient = await newClient();
    expect((await listInvocations(otherClient, `?query=${id}`)).ids).toEqual([]);
  });

  it("include invocations started at the exact time of since", async () => {
    const { id = "", startedAt = 0 } = rows.b ?? {};
    const since = async (text: string) =>
      (await listInvocations(client, `?since=${encodeURIComponent(text)}`)).ids.includes(id);
    const iso = new Date(startedAt).toISOString();
    expect(await since(iso)).toBe(true);
    expect(await since(iso.replace("Z", "000000Z"))).toBe(true);
    expect(await since(iso.replace("Z", "000000+00:00"))).toBe(true);
    expect(await since(iso.replace("Z", "000001Z"))).toBe(false);
    expect(await since(new Date(startedAt + 1).toISOString())).toBe(false);
  });

  it.each([
    ["?since=yesterday", "since"],
    ["?since=1d", "since"],
    ["?since=2026-01-02T15:04:05+02:00", "since"],
    ["?status=cancelled", "status"],
    ["?status=", "status"],
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?limit=x", "limit"],
    ["?offset=-1", "offset"],
  ])("%s is rejected and names the field", async (query, field) => {
    expect((await client.get(`/invocations${query}`)).invalidFields).toEqual([field]);
  });

  it("list the accepted formats when since is invalid", async () => {
    const { error } = await client.get("/invocations?since=yesterday");
    expect(error).toMatchObject({ code: "bad_request", message: `since: ${SINCE_FORMATS}` });
    expect(SINCE_FORMATS).toMatch(/RFC 3339.*5m.*1h30m/);
  });
});

describe("order and pages of GET /invocations", () => {
  let client: Client;
  /** Ids of 23 invocations with five different start times, in the order of the list. */
  let expected: string[];

  beforeAll(async () => {
    client = await newClient();
    const { organizationId } = client;
    const rows = await Promise.all(
      Array.from({ length: 23 }, (_, index) =>
        insertInvocationRow({ organizationId, startedAt: 1000 + (index % 5) }),
      ),
    );
    rows.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
    expected = rows.map(({ id }) => id);
  });

  it("lists newest first with ties by id, twenty per page", async () => {
    const { ids, headers } = await listInvocations(client);
    expect(ids).toEqual(expected.slice(0, 20));
    expect(headers.get("x-has-more")).toBe("true");
    expect(headers.get("x-next-offset")).toBe("20");
    expect(headers.get("content-type")).toBe("application/json");
  });

  it.each([1, 7, 23, 100])("shows each invocation once when paged by %d", async (limit) => {
    const seen: string[] = [];
    for (let offset: string | null = "0"; offset !== null; ) {
      const { ids, headers } = await listInvocations(client, `?limit=${limit}&offset=${offset}`);
      seen.push(...ids);
      offset = headers.get("x-next-offset");
      expect(headers.get("x-has-more")).toBe(String(offset !== null));
    }
    expect(seen).toEqual(expected);
  });

  it("returns an empty array without invocations", async () => {
    const answer = await (await newClient()).get("/invocations");
    expect(answer.text).toBe("[]");
    expect(answer.headers.get("x-has-more")).toBe("false");
  });
});

describe("a page with large values", () => {
  const LARGE = JSON.stringify('ä😀"\n'.repeat(450_000));
  let client: Client;
  let rows: InvocationRow[];

  beforeAll(async () => {
    client = await newClient();
    const { organizationId } = client;
    rows = [];
    for (let index = 0; index < 5; index += 1) {
      const id = newIdentifier();
      for (const kind of VALUE_KINDS) {
        await storeValue(env, { organizationId, invocationId: id, kind }, LARGE);
      }
      const inFiles = { payloadInFiles: true, outputInFiles: true };
      rows.push(await insertInvocationRow({ organizationId, id, startedAt: 5 - index, ...inFiles }));
    }
    rows.push(await insertInvocationRow({ organizationId, startedAt: 0, payload: "[1]", output: "null" }));
  });

  it("contains them in full and in order", async () => {
    expect(new TextEncoder().encode(LARGE).byteLength).toBeGreaterThan(4_000_000);
    const { items } = await listInvocations(client);
    expect(items.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    const isLarge = ({ payload, output }: (typeof items)[number]) => payload === LARGE && output === LARGE;
    expect(items.map(isLarge)).toEqual([true, true, true, true, true, false]);
    expect(items.at(-1)).toMatchObject({ payload: "[1]", output: "null" });
  });

  it("is produced in chunks as it is read", async () => {
    const { files, keys } = countingFiles();
    const reader = streamInvocations({ ...env, FILES: files }, rows).getReader();
    expect(keys).toEqual([]);
    const first = await reader.read();
    expect(first.value?.byteLength).toBeLessThan(1_000_000);
    expect(keys).toEqual([expect.stringContaining(`${rows[0]?.id}/payload.json`)]);
    await reader.cancel();
    await reader.closed;
    expect(keys).toHaveLength(1);
  });

  it("is aborted when a value cannot be read", async () => {
    const { organizationId } = await newClient();
    const missing = await insertInvocationRow({ organizationId, payloadInFiles: true });
    const page = streamInvocations(env, [...rows.slice(0, 1), missing, ...rows.slice(-1)]);
    await expect(new Response(page).text()).rejects.toThrow("is not in R2");
  });

  it("has items that only their owner can get by id", async () => {
    const [{ id = "" } = {}] = rows;
    const answer = await client.get(`/invocations/${id}`);
    const { payload, output } = answer.read(invocationSchema);
    expect([payload === LARGE, output === LARGE]).toEqual([true, true]);
    expect((await (await newClient()).get(`/invocations/${id}`)).status).toBe(404);
  });
});

describe("GET /invocations/{id}", () => {
  it("returns the same body as the list", async () => {
    const client = await newClient();
    const row = await insertInvocationRow({
      organizationId: client.organizationId,
      status: "failed",
      statusReason: "it threw",
      payload: "{}",
      startedAt: Date.UTC(2026, 0, 1),
      finishedAt: Date.UTC(2026, 0, 1, 0, 0, 1),
    });
    const answer = await client.get(`/invocations/${row.id}`);
    expect(answer.read(invocationSchema)).toEqual({
      id: row.id,
      app_name: "app",
      version: "latest",
      action_name: "action",
      started_at: "2026-01-01T00:00:00.000000000Z",
      finished_at: "2026-01-01T00:00:01.000000000Z",
      status: "failed",
      status_reason: "it threw",
      payload: "{}",
    });
    expect((await listInvocations(client)).items).toEqual([answer.json]);
  });

  it.each(["unknown", newIdentifier(), "%00", "a%2Fb"])("responds with 404 for the id %s", async (id) => {
    expect((await (await newClient()).get(`/invocations/${id}`)).status).toBe(404);
  });
});

describe("a deployment without Dynamic Workers", () => {
  const { LOADER } = env;
  afterEach(() => {
    env.LOADER = LOADER;
  });

  const routes = app.routes
    .filter(({ method, path }) => method !== "ALL" && path.startsWith("/invocations"))
    .map(({ method, path }): [string, string] => [method, path.replace(":id", newIdentifier())]);

  it.each(routes)("responds with 501 to %s %s", async (method, path) => {
    const client = await newClient();
    Object.assign(env, { LOADER: undefined });
    const answer = await client.call(method, path, method === "GET" ? {} : { body: {} });
    expect(answer.status).toBe(501);
    expect(answer.error).toMatchObject({
      code: "not_implemented",
      message: expect.stringContaining("without Dynamic Workers"),
    });
    expect((await client.get("/browsers")).status).toBe(200);
  });
});

function countingFiles(): { files: R2Bucket; keys: string[] } {
  const keys: string[] = [];
  const files = new Proxy(env.FILES, {
    get(target, name) {
      if (name !== "get") return Reflect.get(target, name);
      return (key: string) => {
        keys.push(key);
        return target.get(key);
      };
    },
  });
  return { files, keys };
}
