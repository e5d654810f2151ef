import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { NOT_IMPLEMENTED_ROUTES } from "../src/api/not-implemented-routes.ts";
import { poolSchema } from "../src/features/browser-pools/schema.ts";
import { createdAPIKeySchema } from "../src/features/organizations/api-keys/schema.ts";
import { profileSchema } from "../src/features/profiles/schema.ts";
import { newIdentifier } from "../src/lib/common/identifiers.ts";
import { Client, newClient, operator } from "./api.ts";
import { useFakeBrowsers } from "./fakes/browser-binding.ts";
import { deployApp } from "./features/apps/deployed-app.ts";
import { insertInvocationRow } from "./features/apps/invocations/invocations.ts";
import { endPoolsAfterAll } from "./features/browser-pools/pools.ts";
import { COMPUTER_BODIES } from "./features/computer/bodies.ts";
import { extensionZip, uploadExtension } from "./features/extensions/extensions.ts";
import { MACHINE_REQUESTS } from "./features/machine/requests.ts";
import { createProject } from "./features/organizations/projects/projects.ts";
import { createProxy } from "./features/proxies/proxies.ts";
import { createDestination } from "./features/telemetry/export/destinations.ts";
import { createWebhook } from "./features/webhooks/webhooks.ts";
import { insertEndedRow, insertSessionRow, readSessionRow } from "./records.ts";
import {
  bodyOfRoute,
  CALLER_ROUTES,
  CONNECT_ROUTES,
  CONSOLE_SESSION_ROUTES,
  fillRoute,
  OPERATOR_ROUTES,
} from "./routes.ts";

const browsers = useFakeBrowsers();
endPoolsAfterAll();
const anonymous = new Client();
const notImplemented = new Set<string>(NOT_IMPLEMENTED_ROUTES);

describe("ids of another organization", () => {
  /** Per route with a path parameter: the resource it names, and the status for another organization. */
  const table: Record<string, [keyof typeof ids, number]> = {
    "GET /browsers/:id_or_name": ["session", 404],
    "PATCH /browsers/:id_or_name": ["session", 404],
    "DELETE /browsers/:id_or_name": ["session", 404],
    "POST /browsers/:id/live_view_urls": ["session", 404],
    "GET /browsers/:id/thumbnail": ["session", 404],
    "POST /browsers/:id/handoffs": ["session", 404],
    "GET /browsers/:id/handoffs": ["session", 404],
    "GET /browsers/:id/handoffs/:handoff_id": ["session", 404],
    "DELETE /browsers/:id/handoffs/:handoff_id": ["session", 404],
    "POST /browsers/:id_or_name/revoke_urls": ["session", 404],
    "POST /browsers/:id/replays": ["session", 404],
    "GET /browsers/:id/replays": ["session", 404],
    "POST /browsers/:id/replays/:replay_id/stop": ["session", 404],
    "GET /browsers/:id/replays/:replay_id": ["session", 404],
    "GET /browsers/:id/replays/:replay_id/chapters": ["session", 404],
    ...Object.fromEntries(
      Object.keys(COMPUTER_BODIES).map((name) => [`POST /browsers/:id/computer/${name}`, ["session", 404]]),
    ),
    ...Object.fromEntries(Object.keys(MACHINE_REQUESTS).map((route) => [route, ["session", 404]])),
    "POST /browsers/:id/playwright/execute": ["session", 404],
    "GET /browsers/:id/logs/stream": ["session", 404],
    "GET /browsers/:id/telemetry/events": ["session", 404],
    "GET /browsers/:id/telemetry/stream": ["session", 404],
    "GET /browsers/:id/har": ["session", 404],
    "GET /browsers/:id/evidence/screenshot": ["session", 404],
    "GET /browser_pools/:id_or_name": ["pool", 404],
    "PATCH /browser_pools/:id_or_name": ["pool", 404],
    "DELETE /browser_pools/:id_or_name": ["pool", 404],
    "POST /browser_pools/:id_or_name/acquire": ["pool", 404],
    "POST /browser_pools/:id_or_name/release": ["pool", 404],
    "POST /browser_pools/:id_or_name/flush": ["pool", 404],
    "GET /extensions/:id_or_name": ["extension", 404],
    "GET /extensions/:id_or_name/metadata": ["extension", 404],
    "DELETE /extensions/:id_or_name": ["extension", 404],
    "GET /profiles/:id_or_name": ["profile", 404],
    "PATCH /profiles/:id_or_name": ["profile", 404],
    "DELETE /profiles/:id_or_name": ["profile", 404],
    "GET /profiles/:id_or_name/download": ["profile", 404],
    "GET /profiles/:id_or_name/contents": ["profile", 404],
    "GET /proxies/:id": ["proxy", 404],
    "PATCH /proxies/:id": ["proxy", 404],
    "DELETE /proxies/:id": ["proxy", 404],
    "POST /proxies/:id/check": ["proxy", 404],
    "GET /proxies/:id/checks": ["proxy", 404],
    "GET /deployments/:id": ["deployment", 404],
    "DELETE /deployments/:id": ["deployment", 404],
    "GET /deployments/:id/events": ["deployment", 404],
    "GET /invocations/:id": ["invocation", 404],
    "PATCH /invocations/:id": ["invocation", 404],
    "GET /invocations/:id/events": ["invocation", 404],
    "GET /invocations/:id/browsers": ["invocation", 404],
    "DELETE /invocations/:id/browsers": ["invocation", 404],
    "GET /org/api_keys/:id": ["API key", 404],
    "PATCH /org/api_keys/:id": ["API key", 404],
    "DELETE /org/api_keys/:id": ["API key", 404],
    "POST /org/api_keys/:id/rotate": ["API key", 404],
    "GET /org/otlp_destinations/:id_or_name": ["OTLP destination", 404],
    "PATCH /org/otlp_destinations/:id_or_name": ["OTLP destination", 404],
    "DELETE /org/otlp_destinations/:id_or_name": ["OTLP destination", 404],
    "POST /org/otlp_destinations/:id_or_name/test": ["OTLP destination", 404],
    "GET /org/projects/:id": ["project", 404],
    "PATCH /org/projects/:id": ["project", 404],
    "DELETE /org/projects/:id": ["project", 404],
    "GET /org/projects/:id/limits": ["project", 404],
    "PATCH /org/projects/:id/limits": ["project", 404],
    "GET /org/webhooks/:id": ["webhook", 404],
    "PATCH /org/webhooks/:id": ["webhook", 404],
    "DELETE /org/webhooks/:id": ["webhook", 404],
    "POST /org/webhooks/:id/test": ["webhook", 404],
    "POST /org/webhooks/:id/rotate_secret": ["webhook", 404],
    "GET /org/webhooks/:id/deliveries": ["webhook", 404],
    "POST /org/webhooks/:id/deliveries/:delivery_id/resend": ["webhook", 404],
    ...Object.fromEntries(NOT_IMPLEMENTED_ROUTES.map((route) => [route, ["session", 501]])),
  };
  const withParameter = CALLER_ROUTES.filter((route) => route.includes("/:"));

  let owner: Client;
  let otherClient: Client;
  let ids: Record<
    | "session"
    | "pool"
    | "extension"
    | "profile"
    | "proxy"
    | "deployment"
    | "invocation"
    | "API key"
    | "OTLP destination"
    | "webhook"
    | "project",
    string
  >;
  beforeAll(async () => {
    owner = await newClient();
    otherClient = await newClient();
    const session = await owner.createSession({ name: "theirs", timeout_seconds: 3600 });
    const pool = (await owner.post("/browser_pools", { size: 1, name: "theirs" })).read(poolSchema);
    const extension = await uploadExtension(owner, extensionZip(), "theirs");
    const profile = (await owner.post("/profiles", { name: "theirs" })).read(profileSchema);
    const proxy = await createProxy(owner, { type: "isp", name: "theirs" });
    const app = await deployApp(owner, { act: "return null" });
    const invocation = await insertInvocationRow({ organizationId: owner.organizationId });
    ids = {
      session: session.session_id,
      pool: pool.id,
      extension: extension.id,
      profile: profile.id,
      proxy: proxy.id,
      deployment: app.deploymentId,
      invocation: invocation.id,
      "API key": owner.keyId,
      "OTLP destination": (await createDestination(owner, { name: "theirs" })).id,
      webhook: (await createWebhook(owner)).id,
      project: (await createProject(owner)).id,
    };
  });

  it.each(withParameter)("are rejected by %s", async (route) => {
    const entry = table[route];
    if (entry === undefined) throw new Error(`${route} is missing from the table`);
    const [resource, status] = entry;
    const [method, path] = fillRoute(route, ids[resource]);
    const answer = await otherClient.call(method, path, bodyOfRoute(route));
    expect(answer.status, answer.text).toBe(status);
    const unknown = await otherClient.call(...fillRoute(route, newIdentifier()), bodyOfRoute(route));
    expect(answer.text).toBe(unknown.text);
  });

  it("are rejected for a resize", async () => {
    const body = { viewport: { width: 1024, height: 768, force: true } };
    const answer = await otherClient.patch(`/browsers/${ids.session}`, body);
    expect(answer.status).toBe(404);
    expect(answer.text).toBe((await otherClient.patch(`/browsers/${newIdentifier()}`, body)).text);
  });

  it("are unchanged after all these requests", async () => {
    expect(await readSessionRow(ids.session)).toMatchObject({
      state: "active",
      name: "theirs",
      viewportWidth: 1920,
    });
    expect(browsers.commands.map(({ method }) => method)).not.toContainEqual(
      expect.stringMatching(/^Input\.|^Page\.captureScreenshot$/),
    );
    const pool = (await owner.get(`/browser_pools/${ids.pool}`)).read(poolSchema);
    expect(pool).toMatchObject({ name: "theirs", acquired_count: 0, browser_pool_config: { size: 1 } });
    expect((await owner.get(`/extensions/${ids.extension}`)).status).toBe(200);
    expect((await owner.get(`/profiles/${ids.profile}`)).json).toMatchObject({ name: "theirs" });
    expect((await owner.get(`/proxies/${ids.proxy}`)).json).toMatchObject({ name: "theirs" });
    expect((await owner.get(`/deployments/${ids.deployment}`)).json).toMatchObject({ status: "running" });
    expect((await owner.get(`/invocations/${ids.invocation}`)).json).toMatchObject({ status: "queued" });
    const destination = await owner.get(`/org/otlp_destinations/${ids["OTLP destination"]}`);
    expect(destination.json).toMatchObject({ name: "theirs" });
    const row = await env.DB.prepare("SELECT * FROM api_keys WHERE id = ?").bind(ids["API key"]).first();
    expect(row).toMatchObject({ name: "first key", deleted_at: null, expires_at: null });
  });

  it.each(Object.entries(COMPUTER_BODIES))("are accepted from their owner by %s", async (name, body) => {
    const answer = await owner.post(`/browsers/${ids.session}/computer/${name}`, body);
    expect(answer.status, answer.text).toBe(200);
  });

  it("are rejected as names, as persistence ids and for ended sessions", async () => {
    const ended = await insertEndedRow({ organizationId: owner.organizationId, name: "ended" });
    await insertSessionRow({ organizationId: owner.organizationId, persistenceId: "kept" });
    for (const [method, path, body] of [
      ["GET", "/browsers/theirs"],
      ["DELETE", "/browsers/theirs"],
      ["POST", "/browsers/theirs/computer/screenshot"],
      ["POST", "/browsers/theirs/live_view_urls"],
      ["POST", "/browsers/theirs/playwright/execute", { code: "return 1" }],
      ["GET", `/browsers/${ended.id}?include_deleted=true`],
      ["GET", "/extensions/theirs"],
      ["DELETE", "/extensions/theirs"],
      ["GET", "/profiles/theirs"],
      ["GET", "/profiles/theirs/download"],
      ["GET", "/profiles/theirs/contents?include_values=true"],
      ["PATCH", "/profiles/theirs", { name: "x" }],
      ["DELETE", "/profiles/theirs"],
      ["GET", "/browser_pools/theirs"],
      ["POST", "/browser_pools/theirs/acquire"],
      ["DELETE", "/browser_pools/theirs"],
      ["DELETE", "/browsers?persistent_id=kept"],
      ["GET", `/org/api_keys/${owner.keyId}?include_deleted=true`],
    ] as const) {
      expect((await otherClient.call(method, path, { body })).status, `${method} ${path}`).toBe(404);
    }
    for (const path of [
      `/browsers?status=all&query=${ended.id}`,
      `/browser_pools?query=${ids.pool}`,
      `/extensions?query=${ids.extension}`,
      `/profiles?query=${ids.profile}`,
      `/proxies?query=${ids.proxy}`,
      `/invocations?query=${ids.invocation}`,
      `/org/api_keys?query=${owner.keyId}`,
    ]) {
      expect((await otherClient.get(path)).json).toEqual([]);
    }
  });
});

describe("authentication", () => {
  const callers: [string, Record<string, string>][] = [
    ["none", {}],
    ["an unknown key", { authorization: "Bearer berth_unknown" }],
    ["another scheme", { authorization: "Basic YTpi" }],
    ["a key without a scheme", { authorization: "berth_unknown" }],
    ["an empty bearer", { authorization: "Bearer " }],
    ["the operator token", { authorization: `Bearer ${operator.token}` }],
  ];

  it.each([
    ...CALLER_ROUTES,
    ...CONNECT_ROUTES.filter((route) => route !== "GET /"),
    "GET /unknown",
    "POST /",
  ])("is required by %s", async (route) => {
    const [method, path] = fillRoute(route, "any");
    for (const [who, headers] of callers) {
      const answer = await anonymous.call(method, path, { headers });
      expect(answer.status, who).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="berth"');
      expect(answer.error.code).toBe("unauthorized");
    }
  });

  it("fails with an expired key", async () => {
    const client = await newClient();
    const created = await client.post("/org/api_keys", { name: "x", days_to_expire: 1 });
    const { id, key } = created.read(createdAPIKeySchema);
    await env.DB.prepare("UPDATE api_keys SET expires_at = 1 WHERE id = ?").bind(id).run();
    const answer = await new Client(key).get("/browsers");
    expect(answer.status).toBe(401);
    expect(answer.headers.has("www-authenticate")).toBe(true);
  });

  it("ignores the case of the scheme", async () => {
    const { token } = await newClient();
    expect(
      (await anonymous.get("/org/limits", { headers: { authorization: `bearer ${token}` } })).status,
    ).toBe(200);
  });
});

describe("operations that are not implemented", () => {
  let client: Client;
  beforeAll(async () => {
    client = await newClient();
  });

  it.each([...notImplemented])("return 501: %s", async (route) => {
    const [method, path] = fillRoute(route, "any");
    const answer = await client.call(method, path);
    expect(answer.status).toBe(501);
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expect(answer.error).toMatchObject({
      code: "not_implemented",
      message: expect.stringMatching(/^[A-Z]+ \//),
    });
  });
});

describe("projects", () => {
  it.each(["X-Kernel-Project-Id", "X-Kernel-Project"])("are not found by an unknown %s", async (header) => {
    const client = await newClient();
    for (const path of ["/browsers", "/org/limits", "/browsers/any", "/credentials", "/unknown"]) {
      const answer = await client.get(path, { headers: { [header]: "project" } });
      expect(answer.status).toBe(404);
      expect(answer.error.code).toBe("project_not_found");
    }
    expect((await client.get("/browsers", { headers: { [header]: "" } })).status).toBe(200);
    const unauthenticated = await anonymous.get("/browsers", { headers: { [header]: "project" } });
    expect(unauthenticated.status).toBe(401);
  });
});

describe("public routes", () => {
  it("GET /health reports whether the service is configured", async () => {
    expect((await anonymous.get("/health")).json).toEqual({ status: "ok" });
    const secret = env.ENCRYPTION_KEY;
    env.ENCRYPTION_KEY = "";
    try {
      const answer = await anonymous.get("/health");
      expect(answer.status).toBe(503);
      expect(answer.json).toMatchObject({ message: "The service is misconfigured" });
      const listed = await anonymous.get("/browsers");
      expect(listed.status).toBe(500);
      expect(listed.error.message).toBe("The service is misconfigured");
    } finally {
      env.ENCRYPTION_KEY = secret;
    }
  });

  it.each(["/console", "/console/", "/console/sessions/any"])(
    "serves the console's page at %s, with a strict policy",
    async (path) => {
      const page = await anonymous.get(path);
      expect(page.status).toBe(200);
      expect(page.headers.get("content-type")).toContain("text/html");
      const policy = page.headers.get("content-security-policy");
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(page.headers.get("x-content-type-options")).toBe("nosniff");
      expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//);
    },
  );

  it("serves the console's files", async () => {
    const script = await anonymous.get("/console/files/app.js");
    expect(script.headers.get("content-type")).toContain("javascript");
    expect(script.headers.get("cache-control")).toBe("no-cache");
    const etag = script.headers.get("etag") ?? "";
    const unchanged = await anonymous.get("/console/files/app.js", { headers: { "if-none-match": etag } });
    expect(unchanged.status).toBe(304);
    expect((await anonymous.get("/console/files/missing.js")).status).toBe(404);
  });

  it("serves the documentation to everyone, and to no frame", async () => {
    const moved = await anonymous.get("/docs");
    expect(moved.status).toBe(307);
    expect(moved.headers.get("location")).toBe("/docs/");
    expect((await anonymous.get("/")).headers.get("location")).toBe("/docs/");
    const page = await anonymous.get("/docs/api/browser-sessions");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.text).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//);
    const script = /\/docs\/assets\/app\.[\w-]+\.js/.exec(page.text)?.[0] ?? "";
    expect((await anonymous.get(script)).headers.get("cache-control")).toContain("immutable");
    const missing = await anonymous.get("/docs/no-such-page");
    expect(missing.status).toBe(404);
    expect(missing.headers.get("content-type")).toContain("text/html");
  });

  it("an unknown path is 404 with a valid key", async () => {
    const answer = await (await newClient()).get("/unknown");
    expect(answer.status).toBe(404);
    expect(answer.error).toMatchObject({ code: "not_found", message: "route not found" });
  });
});

describe("GET /openapi.json", () => {
  const operationSchema = z.object({
    operationId: z.string().regex(/^[a-z][A-Za-z0-9]+$/),
    summary: z.string().min(1),
    tags: z.array(z.string()).min(1),
    security: z.array(z.record(z.string(), z.array(z.string()))).max(1),
    responses: z.record(z.string(), z.object({ description: z.string().min(1) })),
    parameters: z.array(z.object({ name: z.string(), in: z.enum(["path", "query", "header"]) })).optional(),
  });
  const documentSchema = z.object({
    openapi: z.literal("3.1.0"),
    info: z.object({ title: z.string(), version: z.string() }),
    paths: z.record(z.string().startsWith("/"), z.record(z.string(), operationSchema)),
    components: z.object({
      schemas: z.record(z.string(), z.unknown()),
      securitySchemes: z.record(
        z.string(),
        z.object({ type: z.literal("http"), scheme: z.literal("bearer") }),
      ),
    }),
  });
  let text: string;
  let document: z.infer<typeof documentSchema>;
  let operations: [route: string, operation: z.infer<typeof operationSchema>][];

  beforeAll(async () => {
    const answer = await anonymous.get("/openapi.json");
    text = answer.text;
    document = answer.read(documentSchema);
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, z.infer<typeof operationSchema>] => [
        `${method.toUpperCase()} ${path.replaceAll(/\{([^}]+)\}/g, ":$1")}`,
        operation,
      ]),
    );
  });

  it("documents exactly the implemented routes that require a token, and the sign-in", () => {
    const documented = CALLER_ROUTES.filter(
      (route) => !notImplemented.has(route) && !route.endsWith(" /mcp"),
    );
    const expected = [...documented, ...OPERATOR_ROUTES, ...CONSOLE_SESSION_ROUTES];
    expect(operations.map(([route]) => route).sort()).toEqual(expected.sort());
  });

  it("gives each operation a unique id", () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain("createBrowserSession");
  });

  it("defines everything that it references", () => {
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = ""]) => reference);
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) {
      expect(document.components.schemas).toHaveProperty([reference.replace("#/components/schemas/", "")]);
    }
    for (const [, { security }] of operations) {
      for (const name of security.flatMap(Object.keys)) {
        expect(document.components.securitySchemes).toHaveProperty(name);
      }
    }
  });

  it("documents path parameters and responses of every route", () => {
    for (const [route, { parameters = [], responses }] of operations) {
      const inPath = [...route.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(parameters.filter((p) => p.in === "path").map(({ name }) => name)).toEqual(inPath);
      for (const status of ["401", "500", "503"]) expect(responses, route).toHaveProperty(status);
      expect(Object.keys(responses).some((status) => status.startsWith("2"))).toBe(true);
    }
  });
});
