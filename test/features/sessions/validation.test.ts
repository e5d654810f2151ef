import { beforeAll, describe, expect, it } from "vitest";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { insertSessionRow, readSessionRows } from "../../records.ts";

const browsers = useFakeBrowsers();
const VIEWPORTS = [
  "2560x1440@10",
  "1920x1080@25",
  "1920x1200@25",
  "1440x900@25",
  "1024x768@60",
  "1200x800@60",
];

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));

const badBodies: [string, unknown][] = [
  ["headless", { headless: "true" }],
  ["headless", { headless: null }],
  ["stealth", { stealth: 1 }],
  ["kiosk_mode", { kiosk_mode: [] }],
  ["timeout_seconds", { timeout_seconds: 9 }],
  ["timeout_seconds", { timeout_seconds: 259_201 }],
  ["timeout_seconds", { timeout_seconds: 60.5 }],
  ["timeout_seconds", { timeout_seconds: "60" }],
  ["timeout_seconds", { timeout_seconds: -60 }],
  ["viewport", { viewport: { width: 1280, height: 720 } }],
  ["viewport", { viewport: { width: 1920, height: 1080, refresh_rate: 60 } }],
  ["viewport", { viewport: "1920x1080" }],
  ["viewport.width", { viewport: { height: 1080 } }],
  ["viewport.height", { viewport: { width: 1920 } }],
  ["viewport.width", { viewport: { width: "1920", height: 1080 } }],
  ["viewport.refresh_rate", { viewport: { width: 1920, height: 1080, refresh_rate: 25.5 } }],
  ["name", { name: "" }],
  ["name", { name: "a b" }],
  ["name", { name: "a/b" }],
  ["name", { name: "é" }],
  ["name", { name: "x".repeat(256) }],
  ["name", { name: 5 }],
  ["tags", { tags: ["a"] }],
  ["tags", { tags: many(51) }],
  ["tags.team", { tags: { team: 5 } }],
  ["tags.team", { tags: { team: "x".repeat(256) } }],
  ["start_url", { start_url: "example.com" }],
  ["start_url", { start_url: "javascript:alert(1)" }],
  ["start_url", { start_url: "file:///etc/passwd" }],
  ["start_url", { start_url: `https://example.com/${"x".repeat(2048)}` }],
  ["start_url", { start_url: 5 }],
  ["persistence", { persistence: "id" }],
  ["persistence.id", { persistence: {} }],
  ["persistence.id", { persistence: { id: "" } }],
  ["persistence.id", { persistence: { id: "x".repeat(256) } }],
  ["profile", { profile: {} }],
  ["profile", { profile: { id: "a", name: "b" } }],
  ["profile", { profile: { id: "a" } }],
  ["profile", { profile: { name: "a", save_changes: true } }],
  ["profile.save_changes", { profile: { id: "a", save_changes: "yes" } }],
  ["profile", { profile: "a" }],
  ["proxy_id", { proxy_id: "unknown" }],
  ["proxy_id", { proxy_id: 5 }],
  ["extensions", { extensions: [{ id: "unknown" }] }],
  ["extensions", { extensions: { id: "unknown" } }],
  ["extensions.0", { extensions: [{}] }],
  ["extensions.1", { extensions: [{ name: "a" }, { id: "a", name: "b" }] }],
  ["extensions", { extensions: Array.from({ length: 21 }, () => ({ id: "a" })) }],
  ["invocation_id", { invocation_id: "unknown" }],
  ["record", { record: "yes" }],
  ["record", { record: true, headless: true }],
];

describe("validation of POST /browsers", () => {
  let client: Client;
  beforeAll(async () => {
    client = await newClient();
  });

  it.each(badBodies)("reports %s in %j", async (field, body) => {
    const response = await client.post("/browsers", body);
    expect(response.invalidFields).toContain(field);
    expect(response.error.details?.every(({ code }) => code === "invalid_input")).toBe(true);
    expect(response.error.inner_error).toEqual(response.error.details?.[0]);
  });

  it("reports every invalid field", async () => {
    const response = await client.post("/browsers", { headless: 1, timeout_seconds: 1, name: "a b" });
    expect(response.invalidFields).toEqual(["headless", "timeout_seconds", "name"]);
  });

  it("lists the six supported viewports", async () => {
    const response = await client.post("/browsers", { viewport: { width: 1, height: 1 } });
    for (const viewport of VIEWPORTS) expect(response.error.message).toContain(viewport);
  });

  it.each([
    ["profile", { profile: { name: "mine" } }, "profile: profile not found"],
    ["proxy_id", { proxy_id: "mine" }, "proxy_id: proxy not found"],
    ["extensions", { extensions: [{ name: "mine" }] }, "extensions: extension not found"],
    ["profile", { profile: {} }, "profile: give either id or name"],
  ])("reports a single problem of %s in %j", async (_, body, message) => {
    expect((await client.post("/browsers", body)).error.details).toEqual([
      { code: "invalid_input", message },
    ]);
  });

  it.each([
    ["malformed JSON", { text: "{", headers: { "content-type": "application/json" } }],
    ["an array", { body: [] }],
    ["null", { body: null }],
    ["a number", { body: 5 }],
    ["a body without content type", { text: "{}", headers: { "content-type": "" } }],
    ["a form", { text: "headless=true", headers: { "content-type": "application/x-www-form-urlencoded" } }],
    ["JSON sent as text", { text: "{}", headers: { "content-type": "text/plain" } }],
  ])("returns 400 for %s", async (_, options) => {
    const response = await client.call("POST", "/browsers", options);
    expect(response.status, response.text).toBe(400);
    expect(response.error).toMatchObject({
      code: "bad_request",
      details: [{ code: "invalid_input", message: expect.any(String) }],
      inner_error: { code: "invalid_input" },
    });
  });

  it("launches and stores nothing", async () => {
    expect(browsers.launched).toEqual([]);
    expect(await readSessionRows(client.organizationId)).toEqual([]);
  });
});

describe("validation of PATCH /browsers/{id}", () => {
  it.each([
    ["name", { name: "a b" }],
    ["name", { name: 5 }],
    ["name", { name: "x".repeat(256) }],
    ["tags", { tags: "team" }],
    ["tags.team", { tags: { team: 5 } }],
    ["tags", { tags: many(51) }],
    ["viewport", { viewport: { width: 1280, height: 720 } }],
    ["viewport", { viewport: { width: 1920, height: 1080, refresh_rate: 60 } }],
    ["viewport", { viewport: { width: 1280, height: 720, force: true } }],
    ["viewport", { viewport: "1920x1080" }],
    ["viewport", { viewport: null }],
    ["viewport.width", { viewport: { height: 1080 } }],
    ["viewport.height", { viewport: { width: 1920 } }],
    ["viewport.width", { viewport: { width: 1024.5, height: 768 } }],
    ["viewport.force", { viewport: { width: 1024, height: 768, force: "yes" } }],
  ])("reports %s in %j and changes nothing", async (field, body) => {
    const client = await newClient();
    const row = await insertSessionRow({
      organizationId: client.organizationId,
      name: "kept",
      tags: { a: "b" },
    });
    expect((await client.patch(`/browsers/${row.id}`, body)).invalidFields).toContain(field);
    expect(await readSessionRows(client.organizationId)).toEqual([row]);
  });
});

describe("validation of GET and DELETE /browsers", () => {
  it.each([
    ["limit", "?limit=0"],
    ["limit", "?limit=101"],
    ["limit", "?limit=x"],
    ["offset", "?offset=-1"],
    ["offset", "?offset=1.5"],
    ["status", "?status=ended"],
    ["status", "?status="],
    ["include_deleted", "?include_deleted=1"],
    ["tags[]", "?tags[]=x"],
    ["tags", "?tags=x"],
    ["tags[a]", "?tags[a]=x&tags[a]=y"],
  ])("reports %s in %s", async (field, query) => {
    const client = await newClient();
    expect((await client.get(`/browsers${query}`)).invalidFields).toContain(field);
  });

  it.each(["", "?persistent_id=", "?persistence_id=x"])("requires persistent_id in %j", async (query) => {
    const client = await newClient();
    expect((await client.delete(`/browsers${query}`)).invalidFields).toContain("persistent_id");
  });
});
