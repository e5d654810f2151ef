import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createdWebhookSchema, webhookSchema } from "../../../src/features/webhooks/schema.ts";
import { newClient, useNewClient } from "../../api.ts";
import {
  countRows,
  createWebhook,
  insertDelivery,
  listDeliveries,
} from "../../features/webhooks/webhooks.ts";

const client = useNewClient();
afterEach(() => {
  env.ALLOW_PRIVATE_ADDRESSES = "false";
  vi.restoreAllMocks();
});

describe("a webhook", () => {
  it("is created for all types of events", async () => {
    const { secret, ...webhook } = await createWebhook(client, { url: "https://93.184.215.14/a?b=c" });
    expect(webhook).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      url: "https://93.184.215.14/a?b=c",
      event_types: null,
      description: null,
      enabled: true,
      created_at: expect.any(String),
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await client.get(`/org/webhooks/${webhook.id}`)).read(webhookSchema)).toEqual(webhook);
  });

  it("is changed field by field", async () => {
    const { secret, ...webhook } = await createWebhook(client, {
      event_types: ["session.ended"],
      description: " CRM\r\nX-Evil: 1 ",
    });
    expect(webhook.description).toBe("CRM\r\nX-Evil: 1");
    const patch = async (body: object) =>
      (await client.patch(`/org/webhooks/${webhook.id}`, body)).read(webhookSchema);
    expect(await patch({})).toEqual(webhook);
    expect(await patch({ enabled: false })).toEqual({ ...webhook, enabled: false });
    const change = { url: "https://93.184.215.15/", event_types: null, description: null, enabled: true };
    expect(await patch(change)).toEqual({ ...webhook, ...change });
  });

  it("is deleted with its deliveries", async () => {
    const { id } = await createWebhook(client);
    const other = await createWebhook(client);
    await insertDelivery(id);
    await insertDelivery(other.id);
    expect((await client.delete(`/org/webhooks/${id}`)).status).toBe(204);
    expect(await countRows(id)).toEqual([0, 0]);
    expect(await countRows(other.id)).toEqual([1, 1]);
    expect((await client.delete(`/org/webhooks/${id}`)).status).toBe(404);
  });

  it("keeps its deliveries when another organization deletes it", async () => {
    const { id } = await createWebhook(client);
    await insertDelivery(id);
    expect((await (await newClient()).delete(`/org/webhooks/${id}`)).status).toBe(404);
    expect(await countRows(id)).toEqual([1, 1]);
  });
});

describe("an address", () => {
  it.each([
    ["plain http", "http://example.com/"],
    ["another scheme", "ftp://example.com/"],
    ["no URL", "example.com"],
    ["a script", "javascript:alert(1)"],
    ["too long", `https://example.com/${"x".repeat(2048)}`],
    ["loopback", "https://127.0.0.1/"],
    ["loopback in another form", "https://0x7f.1/"],
    ["loopback as IPv6", "https://[::ffff:127.0.0.1]/"],
    ["metadata of a cloud", "https://169.254.169.254/latest/"],
    ["a local name", "https://metadata.google.internal/"],
    ["localhost", "https://localhost:8787/"],
  ])("is refused: %s", async (_, url) => {
    expect((await client.post("/org/webhooks", { url })).invalidFields).toEqual(["url"]);
    const { id } = await createWebhook(client);
    expect((await client.patch(`/org/webhooks/${id}`, { url })).invalidFields).toEqual(["url"]);
  });

  it("may be private and without TLS where the service allows it", async () => {
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    expect((await createWebhook(client, { url: "http://127.0.0.1:9/" })).url).toBe("http://127.0.0.1:9/");
  });

  it("with credentials is refused, and they are neither returned nor logged", async () => {
    const logged = [vi.spyOn(console, "log"), vi.spyOn(console, "error")];
    const refused = await client.post("/org/webhooks", { url: "https://me:hunter2-secret@example.com/" });
    expect(refused.invalidFields).toEqual(["url"]);
    expect(refused.text).not.toContain("hunter2");
    expect(JSON.stringify(logged.flatMap((spy) => spy.mock.calls))).not.toContain("hunter2");
  });
});

describe("the body", () => {
  it.each([
    [{}, ["url"]],
    [{ url: "https://example.com/", event_types: [] }, ["event_types"]],
    [{ url: "https://example.com/", event_types: ["session.unknown"] }, ["event_types.0"]],
    [{ url: "https://example.com/", event_types: ["webhook.test"] }, ["event_types.0"]],
    [{ url: "https://example.com/", description: "x".repeat(256) }, ["description"]],
  ])("%j is refused", async (body, fields) => {
    expect((await client.post("/org/webhooks", body)).invalidFields).toEqual(fields);
  });
});

describe("a secret", () => {
  it("is stored encrypted, shown once, and never logged", async () => {
    const logged = [vi.spyOn(console, "log"), vi.spyOn(console, "error")];
    const { id, secret } = await createWebhook(client);
    const rotated = (await client.post(`/org/webhooks/${id}/rotate_secret`)).read(createdWebhookSchema);
    expect(rotated.secret).not.toBe(secret);
    const { results } = await env.DB.prepare("SELECT * FROM webhooks WHERE id = ?").bind(id).run();
    const texts = [
      JSON.stringify(results),
      JSON.stringify(logged.flatMap((spy) => spy.mock.calls)),
      (await client.get(`/org/webhooks/${id}`)).text,
      (await client.get("/org/webhooks")).text,
      (await client.patch(`/org/webhooks/${id}`, { description: "x" })).text,
    ];
    for (const value of [secret, rotated.secret]) {
      for (const text of texts) expect(text).not.toContain(value.slice("whsec_".length));
    }
  });
});

describe("lists", () => {
  it("are paged, newest first, and have only the organization's own", async () => {
    await createWebhook(await newClient());
    const ids = [];
    for (let count = 0; count < 3; count += 1) {
      const { id } = await createWebhook(client);
      await env.DB.prepare("UPDATE webhooks SET created_at = ? WHERE id = ?").bind(count, id).run();
      ids.unshift(id);
    }
    const page = await client.get("/org/webhooks?limit=2");
    expect(page.read(webhookSchema.array()).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(page.headers.get("x-next-offset")).toBe("2");
    const last = await client.get("/org/webhooks?limit=2&offset=2");
    expect(last.read(webhookSchema.array()).map(({ id }) => id)).toEqual(ids.slice(2));
    expect(last.headers.get("x-has-more")).toBe("false");
  });

  it("of deliveries are paged, newest first", async () => {
    const { id } = await createWebhook(client);
    for (const createdAt of [1, 3, 2])
      await insertDelivery(id, { id: `delivery-${createdAt}-${id}`, createdAt });
    const times = (await listDeliveries(client, id)).map(({ created_at }) => Date.parse(created_at));
    expect(times).toEqual([3, 2, 1]);
    const page = await client.get(`/org/webhooks/${id}/deliveries?limit=2`);
    expect([page.json, page.headers.get("x-has-more")]).toMatchObject([{ length: 2 }, "true"]);
  });
});
