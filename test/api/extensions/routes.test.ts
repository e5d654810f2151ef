import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { extensionSchema } from "../../../src/api/extensions/schema.ts";
import { sweepExtensions } from "../../../src/features/extensions/sweep.ts";
import { sha256 } from "../../../src/lib/common/hash.ts";
import { errorBodySchema } from "../../../src/lib/http/wire-error.ts";
import { newClient, useNewClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { createPool, endPoolsAfterAll, readPoolBrowsers } from "../../features/browser-pools/pools.ts";
import { extensionZip, upload, uploadExtension } from "../../features/extensions/extensions.ts";
import { readRecord } from "../../objects.ts";

useFakeBrowsers();
endPoolsAfterAll();

const client = useNewClient();

async function readError(response: Response) {
  return { status: response.status, error: errorBodySchema.parse(await response.json()) };
}

describe("extensions", () => {
  it("can be uploaded, looked up by id or name, and downloaded unchanged", async () => {
    const zip = extensionZip({ background: { service_worker: "b.js" } });
    const extension = await uploadExtension(client, zip, "blocker");
    expect(extension).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      name: "blocker",
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
      size_bytes: zip.length,
      checksum: await sha256(zip),
      unsupported: [{ feature: "background", reason: expect.any(String) }],
    });
    for (const idOrName of [extension.id, "blocker"]) {
      expect((await client.get(`/extensions/${idOrName}/metadata`)).json).toEqual(extension);
      const answer = await client.get(`/extensions/${idOrName}`);
      expect(answer.headers.get("content-type")).toBe("application/zip");
      expect(answer.bytes).toEqual(zip);
    }
    expect((await client.get("/extensions")).json).toEqual([extension]);
    expect((await client.get("/extensions?query=LOCK")).json).toEqual([extension]);
    expect((await client.get("/extensions?name=other")).json).toEqual([]);
  });

  it("reports a missing or invalid file", async () => {
    expect(await readError(await upload(client, undefined, "x"))).toMatchObject({
      status: 400,
      error: { message: "file: is required" },
    });
    const broken = await readError(await upload(client, new Uint8Array([1, 2, 3])));
    expect([broken.status, broken.error.details?.[0]?.message]).toEqual([
      400,
      expect.stringMatching(/^file: /),
    ]);
    const named = await readError(await upload(client, extensionZip(), "a b"));
    expect([named.status, named.error.message]).toEqual([400, expect.stringMatching(/^name: /)]);
    expect((await client.get("/extensions")).json).toEqual([]);
  });

  it("cannot exceed 20 MiB", async () => {
    const response = await upload(client, new Uint8Array(20 * 1024 * 1024 + 1));
    expect(response.status).toBe(413);
  });

  it("cannot have patterns that take long to compare with their files", async () => {
    const patterns = Array.from({ length: 500 }, (_, index) => `${"*a".repeat(500)}${index}`);
    const folder = `${"a".repeat(200)}/`.repeat(5);
    const files = Array.from({ length: 500 }, (_, index) => [`${folder}${index}`, ""]);
    const zip = extensionZip({ web_accessible_resources: patterns }, Object.fromEntries(files));
    const { status, error } = await readError(await upload(client, zip));
    expect([status, error.message]).toEqual([400, expect.stringContaining("web_accessible_resources")]);
  });

  it("have unique names, also when uploaded concurrently", async () => {
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => upload(client, extensionZip(), "one")),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const [{ id } = { id: "" }] = (await client.get("/extensions")).read(extensionSchema.array());
    const { objects } = await env.FILES.list({ prefix: `extensions/${client.organizationId}/` });
    expect(objects.map(({ key }) => key)).toEqual([`extensions/${client.organizationId}/${id}.zip`]);
    expect((await client.delete("/extensions/one")).status).toBe(204);
    expect((await upload(client, extensionZip(), "one")).status).toBe(200);
  });

  it("are not visible to other organizations", async () => {
    const { id } = await uploadExtension(client, undefined, "mine");
    const otherClient = await newClient();
    for (const path of [`/extensions/${id}`, "/extensions/mine", `/extensions/${id}/metadata`]) {
      expect((await otherClient.get(path)).status).toBe(404);
    }
    expect((await otherClient.delete(`/extensions/${id}`)).status).toBe(404);
    expect((await otherClient.post("/browsers", { extensions: [{ id }] })).invalidFields).toEqual([
      "extensions",
    ]);
    expect((await client.get(`/extensions/${id}`)).status).toBe(200);
  });
});

describe("extensions of a session", () => {
  it("are selected by id or name, without duplicates", async () => {
    const first = await uploadExtension(client, undefined, "first");
    const second = await uploadExtension(client);
    const { session_id } = await client.createSession({
      extensions: [{ name: "first" }, { id: second.id }, { id: first.id }],
    });
    expect((await readRecord(session_id))?.extensionIds).toEqual([first.id, second.id]);
    const used = (await client.get("/extensions/first/metadata")).read(extensionSchema);
    expect(used.last_used_at).not.toBeNull();
  });

  it("keep their file after deletion until the session ends, but cannot be selected", async () => {
    const { id } = await uploadExtension(client, undefined, "gone");
    const { session_id } = await client.createSession({ extensions: [{ id }] });
    expect((await client.delete(`/extensions/${id}`)).status).toBe(204);
    expect((await client.delete(`/extensions/${id}`)).status).toBe(404);
    expect((await client.get("/extensions")).json).toEqual([]);
    for (const selection of [{ id }, { name: "gone" }]) {
      const answer = await client.post("/browsers", { extensions: [selection] });
      expect(answer.invalidFields).toEqual(["extensions"]);
    }
    const key = `extensions/${client.organizationId}/${id}.zip`;
    await sweepExtensions(env, Date.now());
    expect(await env.FILES.head(key)).not.toBeNull();
    expect((await client.delete(`/browsers/${session_id}`)).status).toBe(204);
    await sweepExtensions(env, Date.now());
    expect(await env.FILES.head(key)).toBeNull();
  });

  it("fail the session when their file is missing", async () => {
    const { id } = await uploadExtension(client);
    await env.FILES.delete(`extensions/${client.organizationId}/${id}.zip`);
    expect((await client.post("/browsers", { extensions: [{ id }] })).status).toBe(503);
    expect((await client.get("/browsers?status=all")).json).toEqual([]);
  });
});

describe("extensions of a pool", () => {
  it("apply to its browsers and are returned as selected", async () => {
    const { id } = await uploadExtension(client, undefined, "pooled");
    const pool = await createPool(client, { size: 1, extensions: [{ name: "pooled" }] });
    expect(pool.extension_ids).toEqual([id]);
    expect(pool.browser_pool_config.extensions).toEqual([{ name: "pooled" }]);
    await expect
      .poll(async () => (await readPoolBrowsers(pool.id)).map(({ state }) => state))
      .toEqual(["idle"]);
    const [browser] = await readPoolBrowsers(pool.id);
    expect((await readRecord(browser?.sessionId ?? ""))?.extensionIds).toEqual([id]);
    const change = await client.patch(`/browser_pools/${pool.id}`, { size: 1, extensions: [] });
    expect(change.json).toMatchObject({ extension_ids: [], browser_pool_config: { extensions: [] } });
    expect(
      (await client.patch(`/browser_pools/${pool.id}`, { size: 1, extensions: [{ id: "x" }] })).invalidFields,
    ).toEqual(["extensions"]);
  });

  it("block filling the pool once they are deleted", async () => {
    const { id } = await uploadExtension(client);
    const pool = await createPool(client, { size: 1, extensions: [{ id }], fill_rate_per_minute: 0 });
    expect((await client.delete(`/extensions/${id}`)).status).toBe(204);
    const change = { size: 1, discard_all_idle: true, fill_rate_per_minute: 25 };
    expect((await client.patch(`/browser_pools/${pool.id}`, change)).status).toBe(200);
    await expect.poll(() => readPoolBrowsers(pool.id)).toEqual([]);
    const answer = await client.post(`/browser_pools/${pool.id}/acquire`, { acquire_timeout_seconds: 0 });
    expect(answer.status).toBe(204);
  });
});
