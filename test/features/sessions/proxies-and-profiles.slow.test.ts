import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { loadProfile } from "../../../src/features/profiles/load-profile.ts";
import { saveProfile } from "../../../src/features/profiles/save-profile.ts";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { openControlConnection } from "../../../src/platform/browser/connection/control-connection.ts";
import { openMainContext } from "../../../src/platform/browser/contexts/main-context.ts";
import { type Client, newClient } from "../../api.ts";
import { DevTools } from "../../devtools.ts";
import { objectOf, readRecord, restart, runInSession } from "../../objects.ts";
import {
  acquire,
  createFullPool,
  createPool,
  endPoolsAfterAll,
  readPoolBrowsers,
  release,
} from "../browser-pools/pools.ts";
import { contentKeys, newProfile, newState } from "../profiles/profiles.ts";
import { createProxy } from "../proxies/proxies.ts";

endPoolsAfterAll();

const allowPrivateAddresses = env.ALLOW_PRIVATE_ADDRESSES;
const files = env.FILES;
afterAll(() => {
  env.ALLOW_PRIVATE_ADDRESSES = allowPrivateAddresses;
  env.FILES = files;
});

let client: Client;
beforeEach(async () => {
  // A failed test may not have restored them.
  env.ALLOW_PRIVATE_ADDRESSES = "true";
  env.FILES = files;
  client = await newClient();
});

/** Nothing listens there; a proxy only has to be set. */
const newProxy = async () =>
  (await createProxy(client, { type: "custom", protocol: "http", config: { host: "127.0.0.1", port: 9 } }))
    .id;

const contextsSchema = z.object({ browserContextIds: z.array(z.string()) });
const targetsSchema = z.object({
  targetInfos: z.array(z.object({ type: z.string(), browserContextId: z.string().optional() })),
});

/** The number of contexts that a client sees, and the context of each page. */
async function readContexts(url: string) {
  const tools = await DevTools.connect(url);
  await tools.send("Target.createTarget", { url: "about:blank" });
  const [contexts, targets] = await Promise.all([
    tools.send("Target.getBrowserContexts"),
    tools.send("Target.getTargets"),
  ]);
  tools.close();
  const { targetInfos } = targetsSchema.parse(targets.result);
  return {
    contexts: contextsSchema.parse(contexts.result).browserContextIds.length,
    pages: targetInfos.flatMap(({ type, browserContextId }) => (type === "page" ? [browserContextId] : [])),
  };
}

describe("a session's proxy", () => {
  it("survives a restart of the session's object", async () => {
    const proxyId = await newProxy();
    const session = await client.createSession({ proxy_id: proxyId });
    expect(session.proxy_id).toBe(proxyId);
    const context = (await readRecord(session.session_id))?.mainContext;
    expect(context?.proxy).toEqual({ proxyServer: "http://127.0.0.1:9", proxyBypassList: "<-loopback>" });
    expect(await readContexts(session.cdp_ws_url)).toEqual({
      contexts: 0,
      pages: [context?.id, context?.id],
    });
    await restart(session.session_id);
    const pages = Array(3).fill(context?.id);
    expect(await readContexts(session.cdp_ws_url)).toEqual({ contexts: 0, pages });
    expect((await client.delete(`/browsers/${session.session_id}`)).status).toBe(204);
  });

  it("is consistent after concurrent changes", async () => {
    const [first, second] = [await newProxy(), await newProxy()];
    const { session_id: id, cdp_ws_url } = await client.createSession({ proxy_id: first });
    const responses = await Promise.all(
      [second, first, second].map((proxy_id) => client.patch(`/browsers/${id}`, { proxy_id })),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { mainContext } = (await readRecord(id)) ?? {};
    const { pages } = await readContexts(cdp_ws_url);
    expect(pages).toEqual([mainContext?.id, mainContext?.id]);
    expect((await client.delete(`/browsers/${id}`)).status).toBe(204);
  });

  it("is unchanged when the rest of a change is rejected", async () => {
    const [first, second] = [await newProxy(), await newProxy()];
    await client.createSession({ name: "taken" });
    const { session_id: id } = await client.createSession({ proxy_id: first });
    const refused = await client.patch(`/browsers/${id}`, { proxy_id: second, name: "taken" });
    expect(refused.status).toBe(409);
    expect((await client.get(`/browsers/${id}`)).read(sessionSchema).proxy_id).toBe(first);
    expect((await readRecord(id))?.proxyId).toBe(first);
    for (const change of [{ proxy_id: second, profile: { id: "x" } }, { proxy_id: "x" }]) {
      expect((await client.patch(`/browsers/${id}`, change)).status).toBe(400);
    }
    expect((await readRecord(id))?.proxyId).toBe(first);
    for (const { session_id } of (await client.get("/browsers")).read(sessionSchema.array())) {
      await client.delete(`/browsers/${session_id}`);
    }
  });

  it("fails the create when it is not allowed, and leaves nothing", async () => {
    const proxyId = await newProxy();
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    const refused = await client.post("/browsers", { proxy_id: proxyId });
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    expect(refused.invalidFields).toEqual(["proxy_id"]);
    expect((await client.get("/browsers?status=all")).json).toEqual([]);
  });
});

describe("a session with a proxy", () => {
  it("has no page in the browser's default context", async () => {
    const { session_id: id } = await client.createSession({ proxy_id: await newProxy() });
    const { browserId = "", mainContext } = (await readRecord(id)) ?? {};
    const connection = await openControlConnection(env.BROWSER, browserId);
    await connection.send("Target.createTarget", { url: "about:blank" }).catch(() => undefined);
    const contexts = async () => {
      const { targetInfos } = await connection.send("Target.getTargets");
      return targetInfos.flatMap(({ type, browserContextId }) => (type === "page" ? [browserContextId] : []));
    };
    await expect.poll(contexts).toEqual([mainContext?.id]);
    connection.dispose();
    expect((await client.delete(`/browsers/${id}`)).status).toBe(204);
  });

  it("finishes an interrupted move to the proxy", async () => {
    const { session_id: id } = await client.createSession();
    const record = await readRecord(id);
    const connection = await openControlConnection(env.BROWSER, record?.browserId ?? "");
    const context = await openMainContext(connection, undefined);
    // The state after a crash just after the move was recorded.
    const move = { urls: ["data:text/html,one", "data:text/html,two"], front: 0 };
    await runInSession(id, ({ kv }) => kv.put("session", { ...record, mainContext: context, move }));
    await restart(id);
    await objectOf(id).touchByMachine();
    const pages = async () => {
      const { targetInfos } = await connection.send("Target.getTargets");
      return targetInfos
        .filter(({ type }) => type === "page")
        .map(({ url, browserContextId }) => [url, browserContextId]);
    };
    await expect
      .poll(async () => (await pages()).toSorted())
      .toEqual(move.urls.map((url) => [url, context.id]));
    await expect.poll(async () => (await readRecord(id))?.move).toBeUndefined();
    connection.dispose();
    expect((await client.delete(`/browsers/${id}`)).status).toBe(204);
  });

  it("changes profile and proxy together or not at all", async () => {
    const [proxyId, profile] = [await newProxy(), await newProfile(client)];
    const { session_id: id } = await client.createSession();
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    const change = { proxy_id: proxyId, profile: { id: profile.id, save_changes: true }, name: "changed" };
    const refused = await client.patch(`/browsers/${id}`, change);
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    expect(refused.invalidFields).toEqual(["proxy_id"]);
    expect(await readRecord(id)).toMatchObject({ proxyId: null, profile: null });
    expect((await client.get(`/browsers/${id}`)).json).not.toHaveProperty("name");
    const changed = await client.patch(`/browsers/${id}`, change);
    expect(changed.json).toMatchObject({ proxy_id: proxyId, profile: { id: profile.id }, name: "changed" });
    expect((await client.delete(`/browsers/${id}`)).status).toBe(204);
  });

  it("matches the index even after a failed change", async () => {
    const [first, second] = [await newProxy(), await newProxy()];
    const { session_id: id } = await client.createSession({ proxy_id: first });
    const profile = await newProfile(client);
    await saveProfile(env, { organizationId: client.organizationId, profileId: profile.id }, newState("x"));
    const { browserId = "" } = (await readRecord(id)) ?? {};
    // The missing content is detected before anything changes.
    await env.FILES.delete(await contentKeys(client.organizationId));
    const failed = await client.patch(`/browsers/${id}`, { proxy_id: second, profile: { id: profile.id } });
    expect(failed.status).toBe(500);
    const record = await readRecord(id);
    expect(record?.browserId).toBe(browserId);
    expect((await client.get(`/browsers/${id}`)).read(sessionSchema).proxy_id).toBe(record?.proxyId);
    expect((await client.delete(`/browsers/${id}`)).status).toBe(204);
  });

  it("accepts one of two concurrent profiles", async () => {
    const profiles = [await newProfile(client), await newProfile(client)];
    const { session_id: id } = await client.createSession();
    const responses = await Promise.all(
      profiles.map((profile) => client.patch(`/browsers/${id}`, { profile: { id: profile.id } })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const taken = profiles[responses.findIndex(({ status }) => status === 200)];
    expect((await readRecord(id))?.profile?.id).toBe(taken?.id);
    expect((await client.get(`/browsers/${id}`)).read(sessionSchema).profile?.id).toBe(taken?.id);
    expect((await client.delete(`/browsers/${id}`)).status).toBe(204);
  });
});

describe("a pool's proxy and profile", () => {
  it("end a released browser when they cannot be restored", async () => {
    const pool = await createFullPool(client, { size: 1, proxy_id: await newProxy() });
    const session = await acquire(client, pool.id);
    expect((await client.patch(`/browsers/${session.session_id}`, { proxy_id: "" })).status).toBe(200);
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    await release(client, pool.id, session.session_id);
    const ended = async () => (await client.get(`/browsers/${session.session_id}?include_deleted=true`)).json;
    await expect.poll(ended).toMatchObject({ end_reason: "discarded" });
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    await expect
      .poll(async () => (await readPoolBrowsers(pool.id)).map(({ sessionId }) => sessionId))
      .not.toContain(session.session_id);
  });

  it.each([
    ["proxies", async () => ({ proxy_id: await newProxy() })],
    ["profiles", async () => ({ profile: { id: (await newProfile(client)).id } })],
  ])("prevent filling once they are deleted (%s)", async (path, select) => {
    const selected = await select();
    const id = "profile" in selected ? selected.profile.id : selected.proxy_id;
    const pool = await createPool(client, { size: 1, fill_rate_per_minute: 0, ...selected });
    expect((await client.delete(`/${path}/${id}`)).status).toBe(204);
    const change = { size: 1, discard_all_idle: true, fill_rate_per_minute: 25 };
    expect((await client.patch(`/browser_pools/${pool.id}`, change)).status).toBe(200);
    await expect.poll(() => readPoolBrowsers(pool.id)).toEqual([]);
    const response = await client.post(`/browser_pools/${pool.id}/acquire`, { acquire_timeout_seconds: 0 });
    expect(response.status).toBe(204);
  });

  it("are shown, changed and removed", async () => {
    const [proxyId, profile] = [await newProxy(), await newProfile(client, "shown")];
    const pool = await createPool(client, {
      size: 1,
      fill_rate_per_minute: 0,
      proxy_id: proxyId,
      profile: { name: "shown", save_changes: true },
    });
    expect(pool).toMatchObject({
      profile_id: profile.id,
      browser_pool_config: { proxy_id: proxyId, profile: { name: "shown", save_changes: true } },
    });
    const change = async (body: object) =>
      (await client.patch(`/browser_pools/${pool.id}`, { size: 1, ...body })).json;
    expect(await change({})).toMatchObject({
      profile_id: profile.id,
      browser_pool_config: { proxy_id: proxyId },
    });
    const cleared = await change({ proxy_id: "", profile: { id: "" } });
    expect(cleared).not.toHaveProperty("profile_id");
    expect(cleared).not.toHaveProperty("browser_pool_config.proxy_id");
    expect(cleared).not.toHaveProperty("browser_pool_config.profile");
    for (const [field, body] of [
      ["proxy_id", { proxy_id: "unknown" }],
      ["profile", { profile: { name: "unknown" } }],
    ] as const) {
      const response = await client.patch(`/browser_pools/${pool.id}`, { size: 1, ...body });
      expect(response.invalidFields).toEqual([field]);
    }
  });
});

describe("a session's profile", () => {
  async function createWithCookie(profileId: string) {
    const session = await client.createSession({ profile: { id: profileId, save_changes: true } });
    const tools = await DevTools.connect(session.cdp_ws_url);
    const cookies = [
      { name: "kept", value: "1", domain: "a.test", path: "/", expires: Date.now() / 1000 + 3600 },
    ];
    expect(await tools.send("Storage.setCookies", { cookies })).not.toHaveProperty("error");
    tools.close();
    return session;
  }

  /** R2 with another `put`. */
  function filesWith(put: () => Promise<unknown>): R2Bucket {
    return new Proxy(files, {
      get: (target, name) => {
        if (name === "put") return put;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  const savedCookies = async (profileId: string) =>
    (
      await loadProfile(env, { organizationId: client.organizationId, projectId: "" }, profileId)
    )?.cookies.map(({ name }) => name);

  it("is saved after a crash during the save", async () => {
    const { id } = await newProfile(client);
    const { session_id } = await createWithCookie(id);
    // The state after a crash during the save: the session has ended and nothing is stored.
    const record = await readRecord(session_id);
    const end = { reason: "deleted", at: Date.now() };
    await runInSession(session_id, ({ kv }) => kv.put("session", { ...record, phase: "ended", end }));
    await restart(session_id);
    expect(await savedCookies(id)).toBeUndefined();
    await objectOf(session_id).reconcile(session_id);
    expect(await savedCookies(id)).toEqual(["kept"]);
    const ended = (await client.get(`/browsers/${session_id}?include_deleted=true`)).read(sessionSchema);
    expect(ended).toMatchObject({ end_reason: "deleted", profile: { id } });
    expect(ended).toHaveProperty("end_details", expect.not.stringContaining("profile"));
  });

  it("is reported in the session's end when it cannot be stored", async () => {
    const { id } = await newProfile(client);
    const { session_id } = await createWithCookie(id);
    env.FILES = filesWith(() => Promise.reject(new Error("no storage")));
    expect((await client.delete(`/browsers/${session_id}`)).status).toBe(204);
    env.FILES = files;
    expect((await client.get(`/browsers/${session_id}?include_deleted=true`)).json).toMatchObject({
      end_reason: "deleted",
      end_details: expect.stringContaining("The profile was not saved: the service failed"),
    });
    expect(await savedCookies(id)).toBeUndefined();
  });
});
