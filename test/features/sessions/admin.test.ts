import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { adminBrowserSchema, adminSessionSchema } from "../../../src/api/admin/session-schema.ts";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { brokerOf } from "../../../src/platform/broker/index.ts";
import { type Client, newClient, openSocket, operator } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import {
  insertEndedRow,
  insertLaunchedBrowser,
  insertSessionRow,
  readSessionRow,
  readSessionRows,
} from "../../records.ts";
import { Listener } from "../../sockets.ts";
import { createFullPool, endPoolsAfterAll } from "../browser-pools/pools.ts";

const browsers = useFakeBrowsers();
endPoolsAfterAll();

async function list(query: string) {
  const response = await operator.get(`/admin/sessions?${query}`);
  return response.read(adminSessionSchema.array());
}

async function listIds(query: string): Promise<string[]> {
  return (await list(query)).map(({ session_id }) => session_id);
}

describe("GET /admin/sessions", () => {
  let one: Client;
  let another: Client;
  let ids: Record<"first" | "idle" | "ended" | "others" | "newest", string>;

  beforeAll(async () => {
    one = await newClient();
    another = await newClient();
    const { organizationId } = one;
    // Later than the sessions of other files.
    const createdAt = Date.UTC(2200, 0);
    ids = {
      first: (await insertSessionRow({ organizationId, name: "Checkout", createdAt })).id,
      idle: (await insertSessionRow({ organizationId, state: "idle", createdAt: createdAt + 1 })).id,
      ended: (await insertEndedRow({ organizationId, proxyId: "a-proxy", createdAt: createdAt + 2 })).id,
      others: (await insertSessionRow({ organizationId: another.organizationId, createdAt: createdAt + 3 }))
        .id,
      newest: (await insertSessionRow({ organizationId, state: "starting", createdAt: createdAt + 4 })).id,
    };
  });

  it.each<[string, (keyof typeof ids)[]]>([
    ["limit=4", ["newest", "others", "idle", "first"]],
    ["limit=4&status=active", ["newest", "others", "idle", "first"]],
    ["limit=1&status=deleted", ["ended"]],
    ["limit=5&status=all", ["newest", "others", "ended", "idle", "first"]],
    ["limit=2&offset=1&status=all", ["others", "ended"]],
    ["query=checkOUT", ["first"]],
    ["status=all&query=a-proxy", ["ended"]],
    ["query=a-proxy", []],
  ])("with %j lists %j", async (query, expected) => {
    expect(await listIds(query)).toEqual(expected.map((name) => ids[name]));
  });

  it("filters by organization and by id", async () => {
    const { organizationId } = another;
    expect(await listIds(`organization_id=${organizationId}&status=all`)).toEqual([ids.others]);
    expect(await listIds(`organization_id=${organizationId}&query=${ids.first}`)).toEqual([]);
    expect(await listIds(`query=${ids.first}`)).toEqual([ids.first]);
    expect(await listIds("organization_id=unknown&status=all")).toEqual([]);
  });

  it("says whether another page follows", async () => {
    const { headers } = await operator.get("/admin/sessions?limit=2");
    expect([headers.get("x-has-more"), headers.get("x-next-offset")]).toEqual(["true", "2"]);
    expect((await operator.get("/admin/sessions?status=old")).invalidFields).toEqual(["status"]);
  });

  it("shows all of a session but its URLs and tokens", async () => {
    const created = await one.createSession({ name: "shown", tags: { team: "shop" }, headless: true });
    const id = created.session_id;
    await env.DB.prepare(
      "UPDATE browser_sessions SET proxy_id = 'p', profile_id = 'q', pool_id = 'w', pool_name = 'warm', clients = 2, viewers = 1, idle_since = 1000 WHERE id = ?",
    )
      .bind(id)
      .run();
    const response = await operator.get(`/admin/sessions?query=${id}`);
    expect(response.json).toEqual([
      {
        session_id: id,
        organization: { id: one.organizationId, name: expect.stringMatching(/^organization \d+$/) },
        name: "shown",
        state: "active",
        created_at: created.created_at,
        tags: { team: "shop" },
        headless: true,
        pool: { id: "w", name: "warm" },
        proxy_id: "p",
        profile_id: "q",
        clients: 2,
        viewers: 1,
        idle_since: "1970-01-01T00:00:01.000Z",
      },
    ]);
    expect(response.text).not.toMatch(/jwt|wss?:|https?:/);
    await env.DB.prepare("UPDATE browser_sessions SET pool_id = NULL WHERE id = ?").bind(id).run();
    await one.delete(`/browsers/${id}`);
    expect(await list(`query=${id}&status=deleted`)).toMatchObject([
      { state: "ended", end_details: 'Deleted by API key "first key".', deleted_at: expect.any(String) },
    ]);
  });

  it("shows the sessions of a deleted organization", async () => {
    const { id } = await insertEndedRow({ organizationId: "deleted-organization" });
    expect(await list(`query=${id}&status=all`)).toMatchObject([
      { session_id: id, organization: { id: "deleted-organization", name: null } },
    ]);
  });
});

describe("DELETE /admin/sessions/{id}", () => {
  it("ends a session with its browser and connections, and says who did", async () => {
    const client = await newClient();
    const { session_id: id, cdp_ws_url } = await client.createSession({ timeout_seconds: 3600 });
    const browserId = browsers.launched.at(-1) ?? "";
    const listener = new Listener(await openSocket(cdp_ws_url));
    expect((await operator.delete(`/admin/sessions/${id}`)).status).toBe(204);
    expect((await listener.closed).code).toBe(1001);
    expect(browsers.living).not.toContain(browserId);
    const ended = (await client.get(`/browsers/${id}?include_deleted=true`)).read(sessionSchema);
    expect(ended).toMatchObject({ end_reason: "deleted", end_details: "Deleted by the operator." });
    expect(await list(`query=${id}&status=all`)).toMatchObject([
      { state: "ended", end_details: "Deleted by the operator." },
    ]);
  });

  it("says so also of a session of an invocation", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession();
    await env.DB.prepare("UPDATE browser_sessions SET invocation_id = 'i' WHERE id = ?").bind(id).run();
    await operator.delete(`/admin/sessions/${id}`);
    expect(await list(`query=${id}&status=all`)).toMatchObject([{ end_details: "Deleted by the operator." }]);
  });

  it("ends an idle session of a pool, which replaces it", async () => {
    const client = await newClient();
    await createFullPool(client, { size: 1 });
    const [idle] = await readSessionRows(client.organizationId);
    const id = idle?.id ?? "";
    expect(await readSessionRow(id)).toMatchObject({ state: "idle" });
    expect((await operator.delete(`/admin/sessions/${id}`)).status).toBe(204);
    await expect
      .poll(() => readSessionRows(client.organizationId))
      .toEqual([expect.objectContaining({ state: "idle", id: expect.not.stringMatching(id) })]);
  });

  it("removes a session that has no object", async () => {
    const { organizationId } = await newClient();
    const { id } = await insertSessionRow({ organizationId, state: "starting" });
    expect((await operator.delete(`/admin/sessions/${id}`)).status).toBe(204);
    expect(await readSessionRow(id)).toBeUndefined();
  });

  it("answers 404 for an unknown or ended session, and for a name", async () => {
    const { organizationId } = await newClient();
    const { id } = await insertEndedRow({ organizationId });
    await insertSessionRow({ organizationId, name: "named" });
    for (const wanted of [newIdentifier(), id, "named"]) {
      const response = await operator.delete(`/admin/sessions/${wanted}`);
      expect(response.status).toBe(404);
      expect(response.error.message).toBe("browser session not found");
    }
  });
});

describe("GET /admin/browsers", () => {
  it("lists the browsers of the account with their sessions", async () => {
    const client = await newClient();
    const { session_id } = await client.createSession();
    const own = browsers.launched.at(-1);
    for (const id of ["foreign", "warm", "orphaned"]) browsers.adopt(id);
    // Young enough not to be swept by other files.
    const launchedAt = Date.now();
    await insertLaunchedBrowser({
      browserId: "warm",
      sessionId: "standby",
      launchedAt,
      kind: "standby",
      state: "ready",
    });
    await insertLaunchedBrowser({ browserId: "orphaned", sessionId: "gone", launchedAt });
    const listed = (await operator.get("/admin/browsers")).read(adminBrowserSchema.array());
    expect(listed.map(({ browser_id }) => browser_id).sort()).toEqual([...browsers.living].sort());
    const started_at = "1970-01-01T00:00:00.001Z";
    const unowned = { session_id: null, organization_id: null, started_at };
    expect(listed).toEqual(
      expect.arrayContaining([
        {
          browser_id: own,
          is_ours: true,
          session_id,
          organization_id: client.organizationId,
          started_at,
        },
        { browser_id: "foreign", is_ours: false, ...unowned },
        { browser_id: "warm", is_ours: true, ...unowned },
        { browser_id: "orphaned", is_ours: true, ...unowned, session_id: "gone" },
      ]),
    );
    await brokerOf(env, null).discard("warm");
    await brokerOf(env, null).discard("orphaned");
  });

  it("answers 503 when the platform does not", async () => {
    browsers.refusal = () => new Response("no", { status: 500 });
    const response = await operator.get("/admin/browsers");
    expect(response.status).toBe(503);
    expect(response.headers.has("retry-after")).toBe(true);
  });
});
