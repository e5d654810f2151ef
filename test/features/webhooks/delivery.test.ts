import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { emitEvent } from "../../../src/features/webhooks/index.ts";
import {
  createdWebhookSchema,
  deliverySchema,
  webhookSchema,
} from "../../../src/features/webhooks/schema.ts";
import { sendMessage } from "../../../src/features/webhooks/send-message.ts";
import { findReceiver } from "../../../src/features/webhooks/store.ts";
import { sweepWebhooks } from "../../../src/features/webhooks/sweep.ts";
import { pause } from "../../../src/lib/common/concurrency.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { newClient, operator, useNewClient } from "../../api.ts";
import {
  changeDeliveries,
  countRows,
  createWebhook,
  insertDelivery,
  listDeliveries,
  testWebhook,
  useFakeReceivers,
} from "./webhooks.ts";

const DAY_MS = 86_400_000;

const receivers = useFakeReceivers();

const client = useNewClient();

/** Emits an event and waits for its first attempts. */
async function emit(organizationId = client.organizationId, data: object = {}): Promise<void> {
  const work: Promise<unknown>[] = [];
  const background = { env, waitUntil: (promise: Promise<unknown>) => void work.push(promise) };
  emitEvent(background, organizationId, "session.created", { ...data });
  await Promise.all(work);
}

function answer(status: number): void {
  receivers.respond = () => new Response(null, { status });
}

describe("a message", () => {
  it("is signed as the specification says", async () => {
    const webhook = await createWebhook(client);
    const tags = { "a\r\nX-Evil: 1": '"}\u2028\u0000' };
    await emit(client.organizationId, { tags });
    const [request] = receivers.to(webhook.url);
    const [delivery] = await listDeliveries(client, webhook.id);
    expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
      "content-type": "application/json",
      "webhook-id": delivery?.id,
      "webhook-timestamp": expect.stringMatching(/^\d{10}$/),
      "webhook-signature": expect.stringMatching(/^v1,[\w+/]{43}=$/),
    });
    expect(request?.headers.has("x-evil")).toBe(false);
    expect(receivers.messagesTo(webhook)).toEqual([
      { type: "session.created", timestamp: delivery?.created_at, data: { tags } },
    ]);
    expect(delivery).toMatchObject({ state: "delivered", state_reason: null, next_attempt_at: null });
    expect(delivery?.attempts).toEqual([
      { at: expect.any(String), status: 204, duration_ms: expect.any(Number) },
    ]);
  });

  it("does not verify with another secret or a changed body", async () => {
    const webhook = await createWebhook(client);
    const other = await createWebhook(client);
    await emit();
    const [{ headers, body } = { headers: new Headers(), body: "" }] = receivers.to(webhook.url);
    const given = Object.fromEntries(headers);
    expect(() => new Webhook(other.secret).verify(body, given)).toThrow("No matching signature");
    expect(() => new Webhook(webhook.secret).verify(`${body} `, given)).toThrow("No matching signature");
  });

  it("is signed with both secrets after a rotation, and with one when the overlap is over", async () => {
    const webhook = await createWebhook(client);
    const response = await client.post(`/org/webhooks/${webhook.id}/rotate_secret`);
    const rotated = response.read(createdWebhookSchema);
    await emit();
    expect(receivers.messagesTo(webhook)).toEqual(receivers.messagesTo(rotated));
    await env.DB.prepare("UPDATE webhooks SET previous_secret_until = ? WHERE id = ?")
      .bind(Date.now(), webhook.id)
      .run();
    await emit();
    expect(receivers.messagesTo(rotated)).toHaveLength(2);
    expect(() => receivers.messagesTo(webhook)).toThrow("No matching signature");
  });

  it("goes to the enabled webhooks that select its type, in its organization only", async () => {
    const all = await createWebhook(client);
    const selecting = await createWebhook(client, { event_types: ["pool.failing", "session.created"] });
    const unwanted = [
      await createWebhook(client, { event_types: ["session.ended"] }),
      await createWebhook(await newClient()),
      await createWebhook(client),
    ];
    await client.patch(`/org/webhooks/${unwanted[2]?.id}`, { enabled: false });
    await emit();
    for (const webhook of [all, selecting]) expect(receivers.to(webhook.url)).toHaveLength(1);
    for (const webhook of unwanted) expect(receivers.to(webhook.url)).toEqual([]);
  });

  it("to a private address is not sent, not even by name or after a redirect", async () => {
    const { id } = await createWebhook(client);
    const row = await findReceiver(openDatabase(env.DB), id);
    if (row === undefined) throw new Error("no webhook");
    const resolve = async (name: string) =>
      name === "inside.example" ? ["93.184.215.14", "10.0.0.7"] : ["93.184.215.14"];
    const send = (url: string) =>
      sendMessage(
        { ...env, ALLOW_PRIVATE_ADDRESSES: "false" },
        { ...row, url },
        { id: "m", body: "{}" },
        resolve,
      );
    const before = receivers.requests.length;
    expect(await send("https://inside.example/")).toEqual({ error: "inside.example has a private address" });
    expect(await send("https://127.0.0.1/")).toEqual({ error: "127.0.0.1 is a private address" });
    expect(receivers.requests).toHaveLength(before);
    receivers.respond = () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1/" } });
    expect(await send("https://outside.example/")).toEqual({ status: 307 });
    expect(receivers.requests).toHaveLength(before + 1);
  });

  it("is delivered when the response never ends, which is not read", async () => {
    const cancelled = Promise.withResolvers<void>();
    const { id } = await createWebhook(client);
    receivers.respond = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
          cancel: () => cancelled.resolve(),
        }),
      );
    expect(await testWebhook(client, id)).toMatchObject({ state: "delivered" });
    await cancelled.promise;
  });
});

describe("a test", () => {
  it("returns the result, and is not retried", async () => {
    const webhook = await createWebhook(client, { event_types: ["session.ended"] });
    expect(await testWebhook(client, webhook.id)).toMatchObject({
      event_type: "webhook.test",
      state: "delivered",
    });
    expect(receivers.messagesTo(webhook)).toMatchObject([
      { type: "webhook.test", data: { webhook_id: webhook.id } },
    ]);
    answer(500);
    expect(await testWebhook(client, webhook.id)).toMatchObject({
      state: "failed",
      attempts: [{ status: 500 }],
    });
    receivers.respond = () => Promise.reject(new Error("internal error; reference = 0123456789"));
    expect(await testWebhook(client, webhook.id)).toMatchObject({
      state: "failed",
      attempts: [{ error: "Failed to connect to 93.184.215.14 port 443" }],
    });
  });

  it("is refused while the webhook is disabled", async () => {
    const { id, url } = await createWebhook(client);
    await client.patch(`/org/webhooks/${id}`, { enabled: false });
    expect((await client.post(`/org/webhooks/${id}/test`)).error.message).toBe("The webhook is disabled");
    expect(receivers.to(url)).toEqual([]);
  });
});

describe("a delivery that is resent", () => {
  const resend = (webhookId: string, id: string, by = client) =>
    by.post(`/org/webhooks/${webhookId}/deliveries/${id}/resend`);

  it("has the same id, payload and time of the event, and a valid signature", async () => {
    const webhook = await createWebhook(client);
    await emit(client.organizationId, { tags: { team: "pricing" } });
    const [sent] = await listDeliveries(client, webhook.id);
    const resent = (await resend(webhook.id, sent?.id ?? "")).read(deliverySchema);
    expect(resent).toEqual({
      ...sent,
      attempts: [sent?.attempts[0], expect.objectContaining({ status: 204 })],
    });
    const requests = receivers.to(webhook.url);
    expect(requests.map(({ headers }) => headers.get("webhook-id"))).toEqual([sent?.id, sent?.id]);
    expect(requests.map(({ body }) => body)).toEqual([sent?.payload, sent?.payload]);
    expect(receivers.messagesTo(webhook)).toHaveLength(2);
    expect(await listDeliveries(client, webhook.id)).toEqual([resent]);
  });

  it("is retried within a day of its event, and fails at once afterwards", async () => {
    const webhook = await createWebhook(client);
    await insertDelivery(webhook.id, { id: `new-${webhook.id}`, state: "failed", endedAt: Date.now() });
    const createdAt = Date.now() - DAY_MS;
    await insertDelivery(webhook.id, {
      id: `old-${webhook.id}`,
      createdAt,
      state: "failed",
      endedAt: createdAt,
    });
    answer(500);
    const results = ["new", "old"].map(async (name) =>
      (await resend(webhook.id, `${name}-${webhook.id}`)).read(deliverySchema),
    );
    expect(await Promise.all(results)).toMatchObject([
      { state: "pending", attempts: [{ status: 500 }] },
      { state: "failed", state_reason: "All attempts in 24 hours have failed", next_attempt_at: null },
    ]);
  });

  it("is sent now if it waits for longer than an attempt takes, and once by concurrent calls", async () => {
    const webhook = await createWebhook(client);
    const id = `waiting-${webhook.id}`;
    await insertDelivery(webhook.id, { id, nextAttemptAt: Date.now() + 3_600_000 });
    const answers = await Promise.all([1, 2, 3].map(() => resend(webhook.id, id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(receivers.to(webhook.url)).toHaveLength(1);
  });

  it("is refused while it may be sent already, and for a webhook that is disabled or full", async () => {
    const webhook = await createWebhook(client);
    const id = `refused-${webhook.id}`;
    await insertDelivery(webhook.id, { id, nextAttemptAt: Date.now() + 30_000 });
    expect((await resend(webhook.id, id)).status).toBe(409);
    await changeDeliveries(webhook.id, { state: "delivered", endedAt: Date.now() });
    const batch = Array.from({ length: 1000 }, () => crypto.randomUUID());
    await env.DB.prepare(
      `INSERT INTO webhook_deliveries SELECT value, ?1, event_type, body, created_at, 'pending', NULL, '[]', ?2, NULL
       FROM json_each(?3), (SELECT * FROM webhook_deliveries WHERE id = ?4)`,
    )
      .bind(webhook.id, Date.now() + DAY_MS, JSON.stringify(batch), id)
      .run();
    expect((await resend(webhook.id, id)).status).toBe(409);
    await client.patch(`/org/webhooks/${webhook.id}`, { enabled: false });
    expect((await resend(webhook.id, id)).status).toBe(409);
    expect(receivers.to(webhook.url)).toEqual([]);
    await client.patch(`/org/webhooks/${webhook.id}`, { enabled: true });
    expect((await resend(webhook.id, id)).status).toBe(200);
  });

  it("is found only in its own webhook and organization", async () => {
    const webhook = await createWebhook(client);
    const other = await createWebhook(client);
    const stranger = await newClient();
    const id = `own-${webhook.id}`;
    await insertDelivery(webhook.id, { id, state: "delivered", endedAt: Date.now() });
    const { id: foreign } = await createWebhook(stranger);
    const answers = [
      await resend(other.id, id),
      await resend(webhook.id, id, stranger),
      await resend(foreign, id, stranger),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(receivers.to(webhook.url)).toEqual([]);
  });
});

describe("a failed attempt", () => {
  it("is repeated by the sweep, once it is due, with the same id", async () => {
    const webhook = await createWebhook(client);
    answer(500);
    await emit();
    const [failed] = await listDeliveries(client, webhook.id);
    expect(failed).toMatchObject({ state: "pending", attempts: [{ status: 500 }] });
    const dueAt = Date.parse(failed?.next_attempt_at ?? "");
    expect(dueAt - Date.parse(failed?.created_at ?? "")).toBeGreaterThanOrEqual(4000);
    answer(200);
    await sweepWebhooks(env, dueAt - 1);
    expect(receivers.to(webhook.url)).toHaveLength(1);
    await sweepWebhooks(env, dueAt);
    const [delivered] = await listDeliveries(client, webhook.id);
    expect(delivered).toMatchObject({ id: failed?.id, state: "delivered", attempts: { length: 2 } });
    const ids = receivers.to(webhook.url).map(({ headers }) => headers.get("webhook-id"));
    expect(ids).toEqual([failed?.id, failed?.id]);
    expect(receivers.messagesTo(webhook)).toHaveLength(2);
  });

  it("is repeated once by concurrent sweeps", async () => {
    const webhook = await createWebhook(client);
    for (let count = 0; count < 5; count += 1) await insertDelivery(webhook.id);
    await Promise.all(Array.from({ length: 4 }, () => sweepWebhooks(env, Date.now())));
    const ids = receivers.to(webhook.url).map(({ headers }) => headers.get("webhook-id"));
    expect([ids.length, new Set(ids).size]).toEqual([5, 5]);
  });

  it("keeps the last ten attempts", async () => {
    const webhook = await createWebhook(client);
    const attempt = { at: new Date(0).toISOString(), status: 500, duration_ms: 1 };
    await insertDelivery(webhook.id, { attempts: Array.from({ length: 10 }, () => attempt) });
    answer(503);
    await sweepWebhooks(env, Date.now());
    const [{ attempts } = { attempts: [] }] = await listDeliveries(client, webhook.id);
    expect([attempts.length, attempts.at(-1)?.status]).toEqual([10, 503]);
  });

  it("ends the turn of its receiver, and no other one's", async () => {
    const dead = await createWebhook(client);
    const healthy = await createWebhook(client);
    for (const { id } of [dead, healthy]) {
      for (let count = 0; count < 3; count += 1) await insertDelivery(id);
    }
    receivers.respond = ({ url }) => new Response(null, { status: url === dead.url ? 500 : 200 });
    await sweepWebhooks(env, Date.now());
    expect([receivers.to(dead.url).length, receivers.to(healthy.url).length]).toEqual([1, 3]);
  });

  it("with 410 disables the webhook", async () => {
    const { id, url } = await createWebhook(client);
    await insertDelivery(id, { nextAttemptAt: Date.now() + 60_000 });
    answer(410);
    await emit();
    expect((await client.get(`/org/webhooks/${id}`)).read(webhookSchema).enabled).toBe(false);
    const states = (await listDeliveries(client, id)).map(
      ({ state, state_reason }) => `${state}: ${state_reason}`,
    );
    expect(states.toSorted()).toEqual([
      "failed: The receiver answered 410, which disables the webhook",
      "failed: The webhook is disabled",
    ]);
    await emit();
    expect(receivers.to(url)).toHaveLength(1);
    await client.patch(`/org/webhooks/${id}`, { enabled: true });
    answer(200);
    await emit();
    expect(receivers.to(url)).toHaveLength(2);
  });
});

describe("a slow receiver", () => {
  it("does not keep others waiting", async () => {
    const slow = await createWebhook(client);
    const fast = await createWebhook(client);
    let isOpen = false;
    receivers.respond = async ({ url }) => {
      // A promise of the test would not wake the request, which has a context of its own.
      while (url === slow.url && !isOpen) await pause(5);
      return new Response();
    };
    const emitting = emit();
    await expect.poll(() => listDeliveries(client, fast.id)).toMatchObject([{ state: "delivered" }]);
    expect(await listDeliveries(client, slow.id)).toMatchObject([{ state: "pending", attempts: [] }]);
    // A sweep leaves the attempt in progress alone.
    await sweepWebhooks(env, Date.now());
    isOpen = true;
    await emitting;
    expect(await listDeliveries(client, slow.id)).toMatchObject([{ state: "delivered" }]);
    expect(receivers.to(slow.url)).toHaveLength(1);
  });

  it("is sent the event again when the first attempt was lost with its process", async () => {
    const { id, url } = await createWebhook(client);
    await insertDelivery(id, { nextAttemptAt: Date.now() + 60_000 });
    await sweepWebhooks(env, Date.now());
    expect(receivers.to(url)).toHaveLength(0);
    await sweepWebhooks(env, Date.now() + 61_000);
    expect(receivers.to(url)).toHaveLength(1);
  });
});

describe("limits", () => {
  it("record an event as failed when 1000 deliveries are pending", async () => {
    const { id, url } = await createWebhook(client);
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
       INSERT INTO webhook_deliveries SELECT ?1 || i, ?1, 'session.created', '{}', 1, 'pending', NULL, '[]', ?2, NULL FROM n`,
    )
      .bind(id, Date.now() + DAY_MS)
      .run();
    await emit();
    const [delivery] = await listDeliveries(client, id);
    expect(delivery).toMatchObject({
      state: "failed",
      state_reason: "The webhook had 1000 pending deliveries",
      attempts: [],
    });
    expect(receivers.to(url)).toEqual([]);
    await env.DB.prepare("DELETE FROM webhook_deliveries WHERE id = ?").bind(`${id}7`).run();
    await emit();
    expect(receivers.to(url)).toHaveLength(1);
  });

  it("fail a delivery a day after its event", async () => {
    const { id, url } = await createWebhook(client);
    await insertDelivery(id, { createdAt: Date.now() - DAY_MS - 1 });
    await sweepWebhooks(env, Date.now());
    expect(await listDeliveries(client, id)).toMatchObject([
      { state: "failed", state_reason: "All attempts in 24 hours have failed" },
    ]);
    expect(receivers.to(url)).toEqual([]);
  });

  it("remove ended deliveries after their retention, but no pending ones", async () => {
    const { id } = await createWebhook(client);
    const now = Date.now();
    await insertDelivery(id, { state: "delivered", endedAt: now - 7 * DAY_MS - 1 });
    await insertDelivery(id, { state: "failed", endedAt: now - 7 * DAY_MS });
    await insertDelivery(id, { createdAt: now, nextAttemptAt: now + DAY_MS });
    await sweepWebhooks(env, now);
    const states = (await listDeliveries(client, id)).map(({ state }) => state);
    expect(states.toSorted()).toEqual(["failed", "pending"]);
    await sweepWebhooks({ ...env, WEBHOOK_DELIVERY_RETENTION_SECONDS: "0" }, now);
    expect(await countRows(id)).toEqual([1, 1]);
  });

  it("remove what a deleted organization had, and nothing is sent to it before", async () => {
    const { id, url } = await createWebhook(client);
    await insertDelivery(id);
    expect((await operator.delete(`/admin/organizations/${client.organizationId}`)).status).toBe(204);
    await emit();
    await sweepWebhooks(env, Date.now());
    expect(receivers.to(url)).toEqual([]);
    expect(await countRows(id)).toEqual([0, 0]);
  });
});

describe("failures of the service", () => {
  it("of the database do not reach the caller", async () => {
    const error = vi.spyOn(console, "error");
    await env.DB.exec("ALTER TABLE webhook_deliveries RENAME TO webhook_deliveries_away");
    try {
      await emit();
    } finally {
      await env.DB.exec("ALTER TABLE webhook_deliveries_away RENAME TO webhook_deliveries");
    }
    expect(error.mock.calls.flat().join()).toContain("event_not_sent");
    error.mockRestore();
  });

  it("to read the secret are recorded without it", async () => {
    const { id } = await createWebhook(client);
    const other = await createWebhook(client);
    await env.DB.prepare(
      "UPDATE webhooks SET encrypted_secret = (SELECT encrypted_secret FROM webhooks WHERE id = ?) WHERE id = ?",
    )
      .bind(other.id, id)
      .run();
    expect(await testWebhook(client, id)).toMatchObject({
      attempts: [{ error: "The webhook's secret cannot be read" }],
    });
    await changeDeliveries(id, { state: "failed" });
  });
});
