import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { createdAPIKeySchema } from "../../../src/features/organizations/api-keys/schema.ts";
import {
  createdOrganizationSchema,
  organizationSchema,
  organizationWithUseSchema,
  settingsSchema,
} from "../../../src/features/organizations/schema.ts";
import { Client, newClient, openSocket, operator } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { insertEndedRow, insertSessionRow, readSessionRow } from "../../records.ts";
import { Listener } from "../../sockets.ts";

const browsers = useFakeBrowsers();
const LIMITS = { max_concurrent_sessions: 100, max_pooled_sessions: 100 };

describe("/admin/organizations", () => {
  it("creates an organization with a working key", async () => {
    const response = await operator.post("/admin/organizations", { name: " acme ", key_name: "root" });
    const { api_key, ...organization } = response.read(createdOrganizationSchema);
    expect(organization).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      name: "acme",
      soft_budget_usd: null,
      hard_budget_usd: null,
      weight: 1,
      max_concurrent_sessions: null,
      max_pooled_sessions: null,
      created_at: expect.any(String),
      disabled_at: null,
    });
    expect(api_key).toMatchObject({ name: "root", created_by: { id: "operator" } });
    expect((await new Client(api_key.key).get("/org/limits")).status).toBe(200);
    expect((await operator.get(`/admin/organizations/${organization.id}`)).json).toEqual({
      ...organization,
      use: { active_sessions: 0, pooled_sessions: 0, api_keys: 1 },
    });
  });

  it("counts what organizations use", async () => {
    const client = await newClient();
    const unused = await newClient();
    const { organizationId } = client;
    for (const state of ["starting", "active"] as const) await insertSessionRow({ organizationId, state });
    for (const state of ["idle", "idle", "active"] as const)
      await insertSessionRow({ organizationId, state, poolId: "pool" });
    await insertEndedRow({ organizationId });
    await insertEndedRow({ organizationId, poolId: "pool" });
    for (const name of ["deleted", "expired", "kept"]) {
      const { id } = (await client.post("/org/api_keys", { name, days_to_expire: 1 })).read(
        createdAPIKeySchema,
      );
      if (name === "deleted") await client.delete(`/org/api_keys/${id}`);
      if (name === "expired")
        await env.DB.prepare("UPDATE api_keys SET expires_at = 1 WHERE id = ?").bind(id).run();
    }
    const use = { active_sessions: 2, pooled_sessions: 3, api_keys: 2 };
    const one = await operator.get(`/admin/organizations/${organizationId}`);
    expect(one.json).toMatchObject({ id: organizationId, use });
    const page = (await operator.get("/admin/organizations?limit=100")).read(
      organizationWithUseSchema.array(),
    );
    const uses = new Map(page.map((organization) => [organization.id, organization.use]));
    expect(uses.get(organizationId)).toEqual(use);
    expect(uses.get(unused.organizationId)).toEqual({ active_sessions: 0, pooled_sessions: 0, api_keys: 1 });
  });

  it.each([
    ["name", {}],
    ["name", { name: " " }],
    ["key_name", { name: "x", key_name: "" }],
    ["max_concurrent_sessions", { name: "x", max_concurrent_sessions: -1 }],
    ["max_pooled_sessions", { name: "x", max_pooled_sessions: 1.5 }],
  ])("reports %s in %j", async (field, body) => {
    expect((await operator.post("/admin/organizations", body)).invalidFields).toContain(field);
  });

  it("lists organizations newest first in pages", async () => {
    const created = [await newClient(), await newClient(), await newClient()];
    const list = async (limit: number, offset: number) => {
      const response = await operator.get(`/admin/organizations?limit=${limit}&offset=${offset}`);
      return { rows: response.read(organizationSchema.array()), headers: response.headers };
    };
    // Other tests may have created organizations in the future.
    const all: z.infer<typeof organizationSchema>[] = [];
    for (let hasMore = true; hasMore; ) {
      const { rows, headers } = await list(100, all.length);
      all.push(...rows);
      hasMore = headers.get("x-has-more") === "true";
    }
    const times = all.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(all.map(({ id }) => id)).toEqual(
      expect.arrayContaining(created.map(({ organizationId }) => organizationId)),
    );
    const first = await list(2, 0);
    expect(first.headers.get("x-has-more")).toBe("true");
    expect(first.headers.get("x-next-offset")).toBe("2");
    expect([...first.rows, ...(await list(2, 2)).rows]).toEqual(all.slice(0, 4));
  });

  it("changes only the given fields and applies limits immediately", async () => {
    const client = await newClient();
    const path = `/admin/organizations/${client.organizationId}`;
    const before = (await operator.get(path)).read(organizationSchema);
    expect((await client.get("/org/limits")).json).toMatchObject(LIMITS);
    const change = { max_concurrent_sessions: 3, max_pooled_sessions: 0 };
    expect((await operator.patch(path, change)).json).toEqual({ ...before, ...change });
    expect((await client.get("/org/limits")).json).toEqual({
      ...change,
      default_project_max_concurrent_sessions: null,
    });
    expect((await operator.patch(path, { name: "renamed" })).json).toEqual({
      ...before,
      ...change,
      name: "renamed",
    });
    const reset = { max_concurrent_sessions: null, max_pooled_sessions: null };
    expect((await operator.patch(path, reset)).json).toMatchObject(reset);
    expect((await client.get("/org/limits")).json).toMatchObject(LIMITS);
    expect((await operator.patch(path, { weight: 3 })).json).toMatchObject({ name: "renamed", weight: 3 });
    expect((await operator.patch(path, { weight: 0 })).invalidFields).toEqual(["weight"]);
  });

  it("rejects keys and ends sessions of a disabled organization until it is enabled", async () => {
    const client = await newClient();
    const other = await newClient();
    const session = await client.createSession({ timeout_seconds: 3600 });
    const browserId = browsers.launched.at(-1) ?? "";
    const spared = await other.createSession({ timeout_seconds: 3600 });
    const listener = new Listener(await openSocket(session.cdp_ws_url));
    const path = `/admin/organizations/${client.organizationId}`;
    const disabled = await operator.patch(path, { disabled: true });
    expect(disabled.json).toMatchObject({ disabled_at: expect.any(String) });
    expect((await listener.closed).code).toBe(1001);
    await expect.poll(() => browsers.living).not.toContain(browserId);
    expect(await readSessionRow(session.session_id)).toMatchObject({
      state: "ended",
      endReason: "organization_ended",
    });
    const refused = await client.get("/browsers");
    expect(refused.status).toBe(403);
    expect(refused.error.code).toBe("forbidden");
    expect((await other.get(`/browsers/${spared.session_id}`)).status).toBe(200);

    const again = await operator.patch(path, { disabled: true });
    expect(again.json).toEqual(disabled.json);
    expect((await operator.patch(path, { disabled: false })).json).toMatchObject({ disabled_at: null });
    expect((await client.get("/browsers")).status).toBe(200);
  });

  it("revokes keys and ends sessions of a deleted organization", async () => {
    const client = await newClient();
    const session = await client.createSession({ timeout_seconds: 3600 });
    const browserId = browsers.launched.at(-1) ?? "";
    const path = `/admin/organizations/${client.organizationId}`;
    expect((await operator.delete(path)).status).toBe(204);
    expect((await client.get("/browsers")).status).toBe(401);
    await expect.poll(() => browsers.living).not.toContain(browserId);
    expect(await readSessionRow(session.session_id)).toMatchObject({ state: "ended" });
    expect((await operator.get(path)).status).toBe(404);
    expect((await operator.delete(path)).status).toBe(404);
  });

  it("returns 404 for an unknown organization", async () => {
    for (const response of [
      await operator.get("/admin/organizations/unknown"),
      await operator.patch("/admin/organizations/unknown", { name: "x" }),
      await operator.delete("/admin/organizations/unknown"),
    ]) {
      expect(response.status).toBe(404);
      expect(response.error.message).toBe("organization not found");
    }
  });

  it.each([
    ["GET", "/admin/organizations"],
    ["POST", "/admin/organizations"],
    ["GET", "/admin/organizations/any"],
    ["PATCH", "/admin/organizations/any"],
    ["DELETE", "/admin/organizations/any"],
    ["GET", "/admin/sessions"],
    ["DELETE", "/admin/sessions/any"],
    ["GET", "/admin/browsers"],
    ["GET", "/admin/settings"],
    ["GET", "/admin/unknown"],
  ])("allows only the operator: %s %s", async (method, path) => {
    const organization = await newClient();
    for (const client of [new Client(), new Client("another-token"), organization]) {
      const response = await client.call(method, path);
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect(response.error.code).toBe("unauthorized");
    }
  });

  it("rejects the operator on organization routes", async () => {
    expect((await operator.get("/browsers")).status).toBe(401);
  });
});

describe("GET /admin/settings", () => {
  it("shows each setting with its default", async () => {
    const { settings } = (await operator.get("/admin/settings")).read(settingsSchema);
    expect(settings.length).toBeGreaterThan(40);
    expect(settings.find(({ name }) => name === "MAX_CONCURRENT_SESSIONS")).toEqual({
      name: "MAX_CONCURRENT_SESSIONS",
      value: "100",
      default: "100",
      is_changed: false,
      description: expect.stringMatching(/^Concurrent sessions per organization/),
    });
    for (const { name, description } of settings) expect(description, name).not.toBe("");
  });

  it("shows changed and invalid settings", async () => {
    const { MAX_WEBHOOKS } = env;
    for (const value of ["21", "many"]) {
      env.MAX_WEBHOOKS = value;
      try {
        const { settings } = (await operator.get("/admin/settings")).read(settingsSchema);
        expect(settings.find(({ name }) => name === "MAX_WEBHOOKS")).toMatchObject({
          value,
          default: "20",
          is_changed: true,
        });
      } finally {
        env.MAX_WEBHOOKS = MAX_WEBHOOKS;
      }
    }
  });

  it("hides passwords in addresses", async () => {
    const { APP_PACKAGE_REGISTRY } = env;
    env.APP_PACKAGE_REGISTRY = "https://user:registry-password@registry.example.com/";
    try {
      const answer = await operator.get("/admin/settings");
      expect(answer.text).not.toContain("registry-password");
      const { settings } = answer.read(settingsSchema);
      expect(settings.find(({ name }) => name === "APP_PACKAGE_REGISTRY")?.value).toBe(
        "https://…@registry.example.com/",
      );
    } finally {
      env.APP_PACKAGE_REGISTRY = APP_PACKAGE_REGISTRY;
    }
  });

  it.each(["}]", ""])("hides the tokens of session hosts, even in JSON that ends with %j", async (end) => {
    const { HOSTS } = env;
    env.HOSTS = `[{"name":"a","url":"https://a.example.com","token" : "host-\\"token"${end}`;
    try {
      const answer = await operator.get("/admin/settings");
      const { settings } = answer.read(settingsSchema);
      expect(settings.find(({ name }) => name === "HOSTS")?.value).toBe(
        `[{"name":"a","url":"https://a.example.com","token" : "…"${end}`,
      );
    } finally {
      env.HOSTS = HOSTS;
    }
  });

  it("shows of secrets only whether they are set", async () => {
    env.PROXY_UPSTREAM_RESIDENTIAL = "http://user:upstream-password@gate.example.com:7777";
    try {
      const response = await operator.get("/admin/settings");
      const { settings, secrets } = response.read(settingsSchema);
      expect(secrets).toEqual([
        { name: "TOKEN_SECRET", is_set: true },
        { name: "ENCRYPTION_KEY", is_set: true },
        { name: "ADMIN_TOKEN", is_set: true },
        { name: "TOKEN_SECRET_PREVIOUS", is_set: false },
        { name: "ENCRYPTION_KEY_PREVIOUS", is_set: false },
        { name: "BROWSER_ACCOUNTS_TOKEN", is_set: false },
        { name: "HOSTS_TOKEN", is_set: false },
        { name: "PROXY_UPSTREAM_DATACENTER", is_set: false },
        { name: "PROXY_UPSTREAM_ISP", is_set: false },
        { name: "PROXY_UPSTREAM_RESIDENTIAL", is_set: true },
        { name: "PROXY_UPSTREAM_MOBILE", is_set: false },
      ]);
      const names = settings.map(({ name }) => name);
      expect(names.filter((name) => secrets.some((secret) => secret.name === name))).toEqual([]);
      for (const secret of [env.TOKEN_SECRET, env.ENCRYPTION_KEY, env.ADMIN_TOKEN, "upstream-password"])
        expect(response.text).not.toContain(secret);
    } finally {
      env.PROXY_UPSTREAM_RESIDENTIAL = undefined;
    }
  });
});
