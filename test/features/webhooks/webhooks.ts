import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import { z } from "zod";
import { createdWebhookSchema, deliverySchema } from "../../../src/features/webhooks/schema.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import {
  type WebhookDeliveryRow,
  webhookDeliveries,
  webhooks,
} from "../../../src/lib/database/schema/webhooks.ts";
import type { Client } from "../../api.ts";

const database = openDatabase(env.DB);

type CreatedWebhook = z.infer<typeof createdWebhookSchema>;
type Delivery = z.infer<typeof deliverySchema>;

interface ReceivedRequest {
  url: string;
  headers: Headers;
  body: string;
}

const messageSchema = z.object({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});

/** Stands in for all servers on the Internet, none of which is contacted. */
export class FakeReceivers {
  readonly requests: ReceivedRequest[] = [];
  /** Answers 204 by default, and is reset after each test. */
  respond: (request: Request) => Response | Promise<Response> = noContent;

  to(url: string): ReceivedRequest[] {
    return this.requests.filter((request) => request.url === url);
  }

  /** The messages to an address, whose signatures are verified. */
  messagesTo({ url, secret }: CreatedWebhook): z.infer<typeof messageSchema>[] {
    return this.to(url).map(({ headers, body }) =>
      messageSchema.parse(new Webhook(secret).verify(body, Object.fromEntries(headers))),
    );
  }
}

/** Replaces `fetch`, and allows private addresses because their names are not resolved. */
export function useFakeReceivers(): FakeReceivers {
  const receivers = new FakeReceivers();
  const { ALLOW_PRIVATE_ADDRESSES } = env;
  beforeAll(() => {
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      receivers.requests.push({
        url: request.url,
        headers: request.headers,
        body: await request.clone().text(),
      });
      return receivers.respond(request);
    });
  });
  afterEach(() => {
    receivers.respond = noContent;
  });
  afterAll(async () => {
    // Retries would reach the receivers of other files.
    await Promise.all(created.splice(0).map(({ client, id }) => client.delete(`/org/webhooks/${id}`)));
    env.ALLOW_PRIVATE_ADDRESSES = ALLOW_PRIVATE_ADDRESSES;
    vi.restoreAllMocks();
  });
  return receivers;
}

const created: { client: Client; id: string }[] = [];
let addresses = 0;

/** Creates a webhook with its own address, which needs no name lookup. */
export async function createWebhook(client: Client, body: object = {}): Promise<CreatedWebhook> {
  addresses += 1;
  const url = `https://93.184.215.14/${addresses}`;
  const response = await client.post("/org/webhooks", { url, ...body });
  expect(response.status, response.text).toBe(201);
  const webhook = createdWebhookSchema.parse(response.json);
  created.push({ client, id: webhook.id });
  return webhook;
}

export async function testWebhook(client: Client, id: string): Promise<Delivery> {
  return (await client.post(`/org/webhooks/${id}/test`)).read(deliverySchema);
}

export async function listDeliveries(client: Client, id: string): Promise<Delivery[]> {
  return (await client.get(`/org/webhooks/${id}/deliveries`)).read(deliverySchema.array());
}

export async function changeDeliveries(
  webhookId: string,
  change: Partial<WebhookDeliveryRow>,
): Promise<void> {
  await database.update(webhookDeliveries).set(change).where(eq(webhookDeliveries.webhookId, webhookId));
}

export async function insertDelivery(
  webhookId: string,
  details: Partial<WebhookDeliveryRow> = {},
): Promise<void> {
  await database.insert(webhookDeliveries).values({
    id: crypto.randomUUID(),
    webhookId,
    eventType: "session.created",
    body: "{}",
    createdAt: Date.now(),
    state: "pending",
    stateReason: null,
    attempts: [],
    nextAttemptAt: Date.now(),
    endedAt: null,
    ...details,
  });
}

export async function countRows(webhookId: string): Promise<[webhooks: number, deliveries: number]> {
  return [
    await database.$count(webhooks, eq(webhooks.id, webhookId)),
    await database.$count(webhookDeliveries, eq(webhookDeliveries.webhookId, webhookId)),
  ];
}

function noContent(): Response {
  return new Response(null, { status: 204 });
}
