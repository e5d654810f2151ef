import { beforeAll, describe, expect, it } from "vitest";
import { poolSchema } from "../../../src/features/browser-pools/schema.ts";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { createPool, endPoolsAfterAll } from "./pools.ts";

useFakeBrowsers();
endPoolsAfterAll();

/** Invalid in both POST and PATCH. */
const badFields: [string, object][] = [
  ["size", { size: 0 }],
  ["size", { size: -1 }],
  ["size", { size: 1.5 }],
  ["size", { size: "1" }],
  ["size", { size: null }],
  ["fill_rate_per_minute", { fill_rate_per_minute: -1 }],
  ["fill_rate_per_minute", { fill_rate_per_minute: 26 }],
  ["fill_rate_per_minute", { fill_rate_per_minute: 0.5 }],
  ["fill_rate_per_minute", { fill_rate_per_minute: "10" }],
  ["timeout_seconds", { timeout_seconds: 59 }],
  ["timeout_seconds", { timeout_seconds: 86_401 }],
  ["timeout_seconds", { timeout_seconds: 60.5 }],
  ["headless", { headless: "true" }],
  ["stealth", { stealth: 1 }],
  ["kiosk_mode", { kiosk_mode: [] }],
  ["name", { name: "a b" }],
  ["name", { name: "x".repeat(256) }],
  ["viewport", { viewport: { width: 1280, height: 720 } }],
  ["viewport", { viewport: { width: 1920, height: 1080, refresh_rate: 60 } }],
  ["viewport.width", { viewport: { height: 1080 } }],
  ["start_url", { start_url: "javascript:alert(1)" }],
  ["proxy_id", { proxy_id: "unknown" }],
  ["proxy_id", { proxy_id: 5 }],
  ["profile", { profile: {} }],
  ["profile", { profile: { id: "a", name: "b" } }],
  ["profile", { profile: { id: "a" } }],
  ["profile", { profile: { name: "a", save_changes: true } }],
  ["profile.save_changes", { profile: { id: "a", save_changes: "yes" } }],
  ["extensions", { extensions: [{ id: "unknown" }] }],
  ["extensions.0", { extensions: [{}] }],
  ["record", { record: 1 }],
  ["record", { record: true, headless: true }],
  ["extensions", { extensions: Array.from({ length: 21 }, () => ({ id: "a" })) }],
];

describe("browser pool validation", () => {
  let client: Client;
  let id: string;
  beforeAll(async () => {
    client = await newClient();
    id = (await createPool(client, { size: 1, fill_rate_per_minute: 0 })).id;
  });

  it.each(badFields)("reports %s in %j", async (field, fields) => {
    const body = { size: 1, ...fields };
    for (const response of [
      await client.post("/browser_pools", body),
      await client.patch(`/browser_pools/${id}`, body),
    ]) {
      expect(response.invalidFields).toContain(field);
      expect(response.error.inner_error).toEqual(response.error.details?.[0]);
    }
  });

  it.each([{}, { name: "x" }])("requires size in %j", async (body) => {
    expect((await client.post("/browser_pools", body)).invalidFields).toEqual(["size"]);
    expect((await client.patch(`/browser_pools/${id}`, body)).invalidFields).toEqual(["size"]);
  });

  it("reports every invalid field", async () => {
    const response = await client.post("/browser_pools", { size: 0, timeout_seconds: 1, headless: 1 });
    expect(response.invalidFields.sort()).toEqual(["headless", "size", "timeout_seconds"]);
  });

  it("changes nothing", async () => {
    const pools = (await client.get("/browser_pools")).read(poolSchema.array());
    expect(pools).toEqual([expect.objectContaining({ id })]);
  });

  it.each([
    ["acquire_timeout_seconds", { acquire_timeout_seconds: -1 }],
    ["acquire_timeout_seconds", { acquire_timeout_seconds: 1.5 }],
    ["name", { name: "" }],
    ["tags.team", { tags: { team: 1 } }],
    ["start_url", { start_url: "" }],
  ])("reports %s of an acquire in %j", async (field, body) => {
    expect((await client.post(`/browser_pools/${id}/acquire`, body)).invalidFields).toContain(field);
  });

  it.each([
    ["session_id", {}],
    ["session_id", { session_id: 5 }],
    ["reuse", { session_id: "a", reuse: "no" }],
  ])("reports %s of a release in %j", async (field, body) => {
    expect((await client.post(`/browser_pools/${id}/release`, body)).invalidFields).toContain(field);
  });

  it("reports force of a deletion", async () => {
    expect((await client.delete(`/browser_pools/${id}`, { force: 1 })).invalidFields).toEqual(["force"]);
  });

  it.each(["limit=0", "limit=101", "limit=x", "offset=-1"])("rejects a list with %s", async (query) => {
    const [field = ""] = query.split("=");
    expect((await client.get(`/browser_pools?${query}`)).invalidFields).toEqual([field]);
  });
});
