import { describe, expect, it } from "vitest";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { insertEndedRow, insertSessionRow, readLaunchedBrowsers, readSessionRow } from "../../records.ts";

const browsers = useFakeBrowsers();

describe("GET /browsers/{id_or_name}", () => {
  it("finds a session by id and by name", async () => {
    const client = await newClient();
    const { id } = await insertSessionRow({ organizationId: client.organizationId, name: "worker" });
    for (const key of [id, "worker"]) {
      expect((await client.get(`/browsers/${key}`)).read(sessionSchema).session_id).toBe(id);
    }
  });

  it("prefers an id over an identical name", async () => {
    const client = await newClient();
    const { organizationId } = client;
    const wanted = await insertSessionRow({ organizationId, createdAt: 1 });
    await insertSessionRow({ organizationId, name: wanted.id, createdAt: 2 });
    expect((await client.get(`/browsers/${wanted.id}`)).read(sessionSchema).session_id).toBe(wanted.id);
  });

  it("finds a name that looks like an id", async () => {
    const client = await newClient();
    const name = newIdentifier();
    const { id } = await insertSessionRow({ organizationId: client.organizationId, name });
    expect((await client.get(`/browsers/${name}`)).read(sessionSchema).session_id).toBe(id);
  });

  it("returns an ended session only on request", async () => {
    const client = await newClient();
    const { id } = await insertEndedRow({ organizationId: client.organizationId, endReason: "inactivity" });
    expect((await client.get(`/browsers/${id}`)).status).toBe(404);
    expect((await client.get(`/browsers/${id}?include_deleted=false`)).status).toBe(404);
    expect((await client.get(`/browsers/${id}?include_deleted=true`)).json).toMatchObject({
      session_id: id,
      deleted_at: expect.any(String),
      end_reason: "inactivity",
    });
    expect((await client.get(`/browsers/${id}?include_deleted=maybe`)).invalidFields).toEqual([
      "include_deleted",
    ]);
  });

  it("prefers an active session of a name, then the newest ended one", async () => {
    const client = await newClient();
    const { organizationId } = client;
    const active = await insertSessionRow({ organizationId, name: "a", createdAt: 1 });
    await insertEndedRow({ organizationId, name: "a", createdAt: 2 });
    await insertEndedRow({ organizationId, name: "b", createdAt: 1 });
    const newest = await insertEndedRow({ organizationId, name: "b", createdAt: 2 });
    for (const [name, id] of [
      ["a", active.id],
      ["b", newest.id],
    ]) {
      const response = await client.get(`/browsers/${name}?include_deleted=true`);
      expect(response.read(sessionSchema).session_id).toBe(id);
    }
  });

  it.each(["unknown", newIdentifier(), "a%20b"])("returns 404 for %s", async (key) => {
    const response = await (await newClient()).get(`/browsers/${key}`);
    expect(response.status).toBe(404);
    expect(response.error).toMatchObject({ code: "not_found", message: "browser session not found" });
  });

  it("says when and why a session ended, to its own organization only", async () => {
    const client = await newClient();
    const row = { organizationId: client.organizationId, endReason: "inactivity" } as const;
    const { id } = await insertEndedRow({ ...row, deletedAt: Date.UTC(2026, 0, 2) });
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/computer/screenshot"],
      ["GET", "/fs/list_files?path=/"],
    ] as const) {
      const answer = await client.call(method, `/browsers/${id}${path}`);
      expect(answer.status, path).toBe(404);
      expect(answer.error.message).toMatch(
        /^browser session not found: it ended at 2026-01-02T00:00:00.000Z. Nobody used it for \d+ seconds\.$/,
      );
    }
    const other = await (await newClient()).get(`/browsers/${id}`);
    expect(other.error.message).toBe("browser session not found");
  });

  it("does not return a starting session", async () => {
    const client = await newClient();
    const { id } = await insertSessionRow({ organizationId: client.organizationId, state: "starting" });
    expect((await client.get(`/browsers/${id}?include_deleted=true`)).status).toBe(404);
  });

  it("signs the URLs of every response", async () => {
    const client = await newClient();
    const { id } = await insertSessionRow({ organizationId: client.organizationId });
    const session = (await client.get(`/browsers/${id}`)).read(sessionSchema);
    for (const [url = "", scope] of [
      [session.cdp_ws_url, "cdp"],
      [session.browser_live_view_url, "live:control"],
    ]) {
      const payload = JSON.parse(atob(new URL(url).searchParams.get("jwt")?.split(".")[1] ?? ""));
      expect(payload).toMatchObject({ sub: id, scope });
      expect(payload.exp - payload.iat).toBe(259_200);
    }
  });

  it.each([
    ["headless", { headless: true }],
    ["ended", { state: "ended", deletedAt: 1, endReason: "deleted" } as const],
  ])("omits the live view of a session that is %s", async (_, details) => {
    const client = await newClient();
    const { id } = await insertSessionRow({ organizationId: client.organizationId, ...details });
    const response = await client.get(`/browsers/${id}?include_deleted=true`);
    expect(response.read(sessionSchema)).not.toHaveProperty("browser_live_view_url");
  });
});

describe("PATCH /browsers/{id_or_name}", () => {
  const changes: [string, object | undefined, { name?: string; tags: Record<string, string> }][] = [
    ["nothing sent keeps all", undefined, { name: "before", tags: { a: "b" } }],
    ["an empty object keeps all", {}, { name: "before", tags: { a: "b" } }],
    ["a name replaces", { name: "after" }, { name: "after", tags: { a: "b" } }],
    ["its own name stays", { name: "before" }, { name: "before", tags: { a: "b" } }],
    ["an empty name clears", { name: "" }, { tags: { a: "b" } }],
    ["tags replace all tags", { tags: { c: "d" } }, { name: "before", tags: { c: "d" } }],
    ["empty tags clear", { tags: {} }, { name: "before", tags: {} }],
    ["null tags keep", { tags: null }, { name: "before", tags: { a: "b" } }],
    ["other fields are ignored", { headless: true, x: 1 }, { name: "before", tags: { a: "b" } }],
  ];

  it.each(changes)("%s", async (_, body, expected) => {
    const client = await newClient();
    const { id } = await insertSessionRow({
      organizationId: client.organizationId,
      name: "before",
      tags: { a: "b" },
    });
    for (const response of [
      await client.patch(`/browsers/${id}`, body),
      await client.get(`/browsers/${id}`),
    ]) {
      const { name, tags, headless } = response.read(sessionSchema);
      expect({ name, tags, headless }).toEqual({ name: undefined, headless: false, ...expected });
    }
  });

  it("accepts a name in the path", async () => {
    const client = await newClient();
    await insertSessionRow({ organizationId: client.organizationId, name: "before" });
    expect((await client.patch("/browsers/before", { name: "after" })).status).toBe(200);
    expect((await client.get("/browsers/before")).status).toBe(404);
    expect((await client.get("/browsers/after")).status).toBe(200);
  });

  it("rejects the name of an active session, but accepts an ended one's", async () => {
    const client = await newClient();
    const { organizationId } = client;
    const { id } = await insertSessionRow({ organizationId });
    await insertSessionRow({ organizationId, name: "taken" });
    await insertEndedRow({ organizationId, name: "free" });
    await insertSessionRow({ organizationId: "somebody else's", name: "free" });
    const response = await client.patch(`/browsers/${id}`, { name: "taken" });
    expect(response.status).toBe(409);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(response.error.code).toBe("conflict");
    expect((await client.patch(`/browsers/${id}`, { name: "free" })).status).toBe(200);
  });

  it.each([
    ["proxy_id", { proxy_id: "p" }],
    ["profile", { profile: { name: "p" } }],
    ["viewport", { viewport: { width: 1280, height: 720 } }],
    ["name", { name: ".." }],
  ])("rejects an invalid %s", async (field, body) => {
    const client = await newClient();
    const { id } = await insertSessionRow({ organizationId: client.organizationId, name: "kept" });
    expect(
      (await client.patch(`/browsers/${id}`, { tags: { changed: "yes" }, ...body })).invalidFields,
    ).toEqual([field]);
    expect((await client.get(`/browsers/${id}`)).json).toMatchObject({ name: "kept", tags: {} });
  });

  it("accepts an empty proxy_id as none", async () => {
    const client = await newClient();
    const { session_id } = await client.createSession();
    expect((await client.patch(`/browsers/${session_id}`, { proxy_id: "" })).status).toBe(200);
    expect((await client.delete(`/browsers/${session_id}`)).status).toBe(204);
  });

  it("returns 404 for an ended or unknown session", async () => {
    const client = await newClient();
    const { id } = await insertEndedRow({ organizationId: client.organizationId });
    expect((await client.patch(`/browsers/${id}`, { name: "x" })).status).toBe(404);
    expect((await client.patch("/browsers/unknown", { name: "x" })).status).toBe(404);
  });
});

describe("DELETE /browsers/{id_or_name}", () => {
  it.each(["id", "name"] as const)("ends a session and its browser by %s", async (by) => {
    const client = await newClient();
    const { session_id } = await client.createSession({ name: "worker" });
    const browserId = browsers.launched.at(-1) ?? "";
    const response = await client.delete(`/browsers/${by === "id" ? session_id : "worker"}`);
    expect(response.status).toBe(204);
    expect(response.text).toBe("");
    await expect.poll(() => browsers.living).not.toContain(browserId);
    expect((await readLaunchedBrowsers()).map((browser) => browser.browserId)).not.toContain(browserId);
    expect(await readSessionRow(session_id)).toMatchObject({ state: "ended", endReason: "deleted" });
    expect((await client.listSessions()).ids).toEqual([]);
    expect((await client.listSessions("?status=deleted")).ids).toEqual([session_id]);
    expect((await client.delete(`/browsers/${session_id}`)).status).toBe(404);
  });

  it("ends a session once on concurrent requests", async () => {
    const client = await newClient();
    const { session_id } = await client.createSession();
    const browserId = browsers.launched.at(-1);
    const responses = await Promise.all([1, 2, 3].map(() => client.delete(`/browsers/${session_id}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
    await expect.poll(() => browsers.closed.filter((id) => id === browserId)).toHaveLength(1);
  });
});
