import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CHECKS, type CheckName } from "../../../src/platform/capabilities/index.ts";
import { type Client, useNewClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { createPool, endPoolsAfterAll } from "../../features/browser-pools/pools.ts";
import { createProxy } from "../../features/proxies/proxies.ts";
import { readSessionRows } from "../../records.ts";
import { record, restoreCapabilities } from "./capabilities.ts";

const browsers = useFakeBrowsers();
endPoolsAfterAll();

const NOBODY = "a".repeat(24);

const client = useNewClient();
afterEach(restoreCapabilities);

const refusals: [string, CheckName, object][] = [
  ["proxy_id", "context_proxy", { proxy_id: NOBODY }],
  ["proxy_id", "hold_frames", { proxy_id: NOBODY }],
  ["stealth", "hold_popups", { stealth: true }],
  ["record", "video_encoding", { record: true }],
  ["profile", "large_profile", { profile: { name: "any", save_changes: true } }],
];

async function expectRefusal(answer: Awaited<ReturnType<Client["post"]>>, field: string, name: CheckName) {
  expect(answer.status, answer.text).toBe(501);
  expect(answer.headers.get("x-should-retry")).toBe("false");
  expect(answer.error.code).toBe("not_implemented");
  expect(answer.error.message).toMatch(new RegExp(`^${field}: .*${CHECKS[name]}.*refused by a test`));
  expect(answer.error.details?.[0]?.message).toBe(answer.error.message);
}

describe("a feature that the platform was seen not to support", () => {
  it.each(refusals)("%s is refused in POST /browsers because of %s", async (field, name, body) => {
    await record(name);
    const launched = browsers.launched.length;
    await expectRefusal(await client.post("/browsers", body), field, name);
    expect(browsers.launched).toHaveLength(launched);
    expect(await readSessionRows(client.organizationId)).toEqual([]);
  });

  it.each(refusals)("%s is refused in POST /browser_pools because of %s", async (field, name, body) => {
    await record(name);
    await expectRefusal(await client.post("/browser_pools", { size: 1, ...body }), field, name);
    expect((await client.get("/browser_pools")).json).toEqual([]);
  });

  it("extensions are refused when browsers neither load them nor wait for content scripts", async () => {
    const body = { extensions: [{ id: NOBODY }] };
    await record("extensions");
    expect((await client.post("/browsers", body)).invalidFields).toEqual(["extensions"]);
    await record("hold_frames");
    await expectRefusal(await client.post("/browsers", body), "extensions", "extensions");
  });

  it.each([
    ["code", "dynamic_abort", `/browsers/${NOBODY}/playwright/execute`, { code: "return 1" }],
    ["action_name", "dynamic_end", "/invocations", { app_name: "a", action_name: "b", version: "1" }],
    ["file", "dynamic_workers", "/deployments", undefined],
    ["record", "screencast", `/browsers/${NOBODY}/replays`, {}],
  ] as const)("%s is refused because of %s in POST %s", async (field, name, path, body) => {
    await record(name);
    await expectRefusal(await client.post(path, body), field, name);
    expect((await client.get("/deployments")).json).toEqual([]);
    expect((await client.get("/invocations")).json).toEqual([]);
  });

  it("is refused when a session is changed, which keeps its state", async () => {
    const proxy = await createProxy(client, {
      type: "custom",
      protocol: "http",
      config: { host: "proxy.example.com", port: 9 },
    });
    const { session_id } = await client.createSession({ name: "before" });
    await record("context_proxy");
    const change = { name: "after", proxy_id: proxy.id };
    await expectRefusal(await client.patch(`/browsers/${session_id}`, change), "proxy_id", "context_proxy");
    expect((await client.get(`/browsers/${session_id}`)).json).toMatchObject({ name: "before" });
    await client.delete(`/browsers/${session_id}`);
  });

  it("is refused when a pool is changed or a lease asks for it", async () => {
    const { id } = await createPool(client, { size: 1, fill_rate_per_minute: 0 });
    await record("screencast");
    const changed = await client.patch(`/browser_pools/${id}`, { size: 1, record: true });
    await expectRefusal(changed, "record", "screencast");
    const acquired = await client.post(`/browser_pools/${id}/acquire`, { record: true });
    await expectRefusal(acquired, "record", "screencast");
  });

  it("is allowed once its check holds", async () => {
    await record("hold_workers");
    expect((await client.post("/browsers", { stealth: true })).status).toBe(501);
    await record("hold_workers", { outcome: "untried" });
    expect((await client.post("/browsers", { stealth: true })).status).toBe(501);
    await record("hold_workers", { outcome: "holds" });
    const { session_id } = await client.createSession({ stealth: true });
    await client.delete(`/browsers/${session_id}`);
  });
});

it("a session that asks for nothing special reads no capabilities", async () => {
  for (const name of ["context_proxy", "hold_popups", "screencast", "large_profile"] as const)
    await record(name);
  const prepare = vi.spyOn(env.DB, "prepare");
  const { session_id } = await client.createSession({ profile: undefined, extensions: [], proxy_id: "" });
  const queries = prepare.mock.calls.map(([query]) => query);
  prepare.mockRestore();
  expect(queries.length).toBeGreaterThan(0);
  expect(queries.filter((query) => query.includes("capabilities"))).toEqual([]);
  await client.delete(`/browsers/${session_id}`);
});
