import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { ALL_RIGHTS } from "../../../src/features/organizations/api-keys/api-key.ts";
import { isAllowed, type KeyRights, mayCreate } from "../../../src/features/organizations/api-keys/rights.ts";
import { apiKeySchema, createdAPIKeySchema } from "../../../src/features/organizations/api-keys/schema.ts";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { Client, newClient, ORIGIN, upgrade } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { bodyOfRoute, CALLER_ROUTES, CONNECT_ROUTES, fillRoute } from "../../routes.ts";
import { createKey, createProject } from "./projects/projects.ts";

useFakeBrowsers();

/** What each kind of key may call. All other routes return 403. */
const ALLOWED = {
  read: CALLER_ROUTES.filter(
    (route) => route.startsWith("GET ") && !/^GET \/profiles\/:id_or_name\/(contents|download)$/.test(route),
  ),
  sessions: CALLER_ROUTES.filter(
    (route) =>
      / \/(browsers|mcp)(\/|$)/.test(route) ||
      [
        "GET /browser_pools",
        "GET /browser_pools/:id_or_name",
        "POST /browser_pools/:id_or_name/acquire",
        "POST /browser_pools/:id_or_name/release",
        "GET /org/sessions/stream",
        "GET /org/recordings",
      ].includes(route),
  ),
  project: CALLER_ROUTES.filter(
    (route) =>
      ![
        "PATCH /org/limits",
        "GET /org/overview",
        "POST /org/projects",
        "DELETE /org/projects/:id",
        "PATCH /org/projects/:id/limits",
      ].includes(route) &&
      !/ \/(audit-logs|org\/(credential_providers|otlp_destinations|usage|webhooks))(\/|$)/.test(route),
  ),
};

const RIGHTS: Record<keyof typeof ALLOWED, KeyRights> = {
  read: { ...ALL_RIGHTS, access: "read" },
  sessions: { ...ALL_RIGHTS, access: "sessions" },
  project: { ...ALL_RIGHTS, projectId: "project" },
};

describe.each(["read", "sessions", "project"] as const)("a key for %s", (kind) => {
  let key: Client;
  beforeAll(async () => {
    const client = await newClient();
    const body = kind === "project" ? { project_id: (await createProject(client)).id } : { access: kind };
    key = await createKey(client, body);
  });

  it.each(CALLER_ROUTES)("has its rights at %s", async (route) => {
    const isExpected = ALLOWED[kind].includes(route);
    expect(isAllowed(RIGHTS[kind], route)).toBe(isExpected);
    if (isExpected) return;
    const answer = await key.call(...fillRoute(route, "any"), bodyOfRoute(route));
    expect([answer.status, answer.error.code]).toEqual([403, "forbidden"]);
  });

  it("may do something, and asks for nothing at an unknown address", async () => {
    expect((await key.get("/browsers")).status).toBe(200);
    expect((await key.call("HEAD", "/browsers")).status).toBe(200);
    expect((await key.get("/unknown")).status).toBe(404);
  });
});

describe("a key for reading", () => {
  it.each(CONNECT_ROUTES)("cannot use %s", async (route) => {
    const key = await createKey(await newClient(), { access: "read" });
    const [, path] = fillRoute(route, "any");
    expect((await upgrade(`${ORIGIN}${path}?token=${key.token}`)).status).toBe(403);
  });

  it("cannot begin WebDriver, nor an MCP session", async () => {
    const key = await createKey(await newClient(), { access: "read" });
    for (const path of ["/session", "/wd/hub/session"]) {
      expect((await key.post(path, { capabilities: {} })).status).toBe(403);
      const capabilities = { alwaysMatch: { "berth:options": { apiKey: key.token } } };
      expect((await new Client().post(path, { capabilities })).status).not.toBe(200);
    }
    expect((await key.post("/mcp", {})).status).toBe(403);
  });

  it("gets no address that controls a browser", async () => {
    const client = await newClient();
    const session = await client.createSession({ name: "watched" });
    const key = await createKey(client, { access: "read" });
    const shown = [
      (await key.get("/browsers/watched")).read(sessionSchema),
      (await key.get("/browsers")).read(sessionSchema.array())[0],
    ];
    for (const body of shown) {
      expect(body).toMatchObject({ session_id: session.session_id, cdp_ws_url: "", webdriver_ws_url: "" });
      const token = new URL(body?.browser_live_view_url ?? "").searchParams.get("jwt") ?? "";
      expect(JSON.parse(atob(token.split(".")[1] ?? ""))).toMatchObject({ scope: "live:watch" });
    }
    await client.post(`/browsers/${session.session_id}/handoffs`, { instructions: "help" });
    const handoffs = await key.get(`/browsers/${session.session_id}/handoffs`);
    expect(handoffs.json).toMatchObject([{ status: "pending", live_view_url: null }]);
    const list = async () => (await key.get("/handoffs")).json;
    await expect.poll(list).toMatchObject([{ session_id: session.session_id, live_view_url: null }]);
    const encoded = await key.get("/profiles/any/%64ownload");
    expect(encoded.status).toBe(403);
  });
});

describe("a key for sessions", () => {
  it("creates, connects to and ends sessions", async () => {
    const key = await createKey(await newClient(), { access: "sessions" });
    const { session_id, cdp_ws_url } = await key.createSession();
    expect(cdp_ws_url).not.toBe("");
    expect((await key.delete(`/browsers/${session_id}`)).status).toBe(204);
    const response = await upgrade(`${ORIGIN}/connect?token=${key.token}`);
    response.webSocket?.accept();
    response.webSocket?.close();
    expect(response.status).toBe(101);
  });
});

describe("mayCreate", () => {
  const all = ALL_RIGHTS;
  const limited = { ...all, projectId: "p", maxConcurrentSessions: 5, requestsPerMinute: 60 };
  const ofProject = { ...all, projectId: "p" };
  it.each<[own: KeyRights, wanted: KeyRights, expected: boolean]>([
    [all, all, true],
    [all, { ...limited, access: "read" }, true],
    [ofProject, limited, true],
    [ofProject, { ...limited, access: "sessions" }, true],
    [ofProject, all, false],
    [ofProject, { ...limited, projectId: "q" }, false],
    [{ ...all, maxConcurrentSessions: 5 }, limited, false],
    [{ ...all, requestsPerMinute: 60 }, limited, false],
    [{ ...all, access: "read" }, { ...all, access: "read" }, true],
    [{ ...all, access: "read" }, all, false],
    [{ ...all, access: "sessions" }, { ...all, access: "read" }, false],
  ])("%j, %j: %j", (own, wanted, expected) => {
    expect(mayCreate(own, wanted)).toBe(expected);
  });
});

describe("a key", () => {
  it("shows its rights, and keeps them when it is rotated", async () => {
    const client = await newClient();
    const { id, name } = await createProject(client, "shown");
    const given = {
      project_id: id,
      access: "sessions",
      max_concurrent_sessions: 3,
      requests_per_minute: 100,
    };
    const rights = { ...given, project_name: name };
    const created = await client.post("/org/api_keys", { name: "limited", ...given });
    const key = created.read(createdAPIKeySchema);
    expect(key).toMatchObject(rights);
    expect((await client.get(`/org/api_keys/${key.id}`)).json).toMatchObject(rights);
    const listed = (await client.get("/org/api_keys")).read(apiKeySchema.array());
    expect(listed[0]).toMatchObject(rights);
    expect(listed[1]).toMatchObject({ project_id: null, project_name: null, access: "full" });
    const rotated = (await client.post(`/org/api_keys/${key.id}/rotate`, {})).read(createdAPIKeySchema);
    expect(rotated).toMatchObject(rights);
    expect(rotated.id).not.toBe(key.id);
    const row = await env.DB.prepare("SELECT * FROM api_keys WHERE id = ?").bind(rotated.id).first();
    expect(row).toMatchObject({ last_used_at: null, deleted_at: null });
  });

  it.each([
    ["access", { access: "all" }],
    ["max_concurrent_sessions", { max_concurrent_sessions: 0 }],
    ["requests_per_minute", { requests_per_minute: 1.5 }],
  ])("refuses a bad %s", async (field, body) => {
    const answer = await (await newClient()).post("/org/api_keys", { name: "x", ...body });
    expect(answer.invalidFields).toEqual([field]);
  });

  it("is not created for an unknown, archived or deleted project", async () => {
    const client = await newClient();
    const [archived, deleted] = [await createProject(client), await createProject(client, "deleted")];
    await client.patch(`/org/projects/${archived.id}`, { status: "archived" });
    await client.delete(`/org/projects/${deleted.id}`);
    const { id: foreign } = await createProject(await newClient());
    for (const project_id of ["unknown", archived.id, deleted.id, "deleted", foreign]) {
      const answer = await client.post("/org/api_keys", { name: "x", project_id });
      expect(answer.error.code).toBe("project_not_found");
    }
  });

  it("gives no key more rights than its own", async () => {
    const client = await newClient();
    const [own, other] = [await createProject(client), await createProject(client)];
    const key = await createKey(client, { project_id: own.id });
    const child = { name: "child", max_concurrent_sessions: 3 };
    const inherited = (await key.post("/org/api_keys", child)).read(createdAPIKeySchema);
    expect(inherited).toMatchObject({ project_id: own.id, access: "full", max_concurrent_sessions: 3 });
    for (const project_id of [other.id, client.organizationId]) {
      const answer = await key.post("/org/api_keys", { name: "x", project_id });
      expect([answer.status, answer.error.code]).toEqual([403, "forbidden"]);
    }
  });

  it("of a project neither sees, changes, deletes nor rotates other keys", async () => {
    const client = await newClient();
    const { id } = await createProject(client);
    const key = await createKey(client, { project_id: id });
    const session = await client.createSession();
    const listed = (await key.get("/org/api_keys")).read(apiKeySchema.array());
    expect(listed.map((each) => each.id)).toEqual([key.keyId]);
    const path = `/org/api_keys/${client.keyId}`;
    expect((await key.get(path)).status).toBe(404);
    expect((await key.patch(path, { name: "x" })).status).toBe(404);
    expect((await key.delete(path)).status).toBe(404);
    expect((await key.post(`${path}/rotate`)).status).toBe(404);
    // Deleting a key revokes the addresses of its sessions, and this one was not deleted.
    const url = session.cdp_ws_url.replace(/^ws/, "http");
    expect((await upgrade(url)).status).toBe(101);
  });

  it.each([{ requests_per_minute: 100 }, { max_concurrent_sessions: 3 }])(
    "with %j neither creates nor rotates keys",
    async (limits) => {
      const key = await createKey(await newClient(), limits);
      for (const path of ["/org/api_keys", `/org/api_keys/${key.keyId}/rotate`]) {
        const answer = await key.post(path, path.endsWith("s") ? { name: "x", ...limits } : {});
        expect([answer.status, answer.error.code], path).toEqual([403, "forbidden"]);
      }
    },
  );
});
