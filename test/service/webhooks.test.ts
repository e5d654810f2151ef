import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { SharedService } from "../conformance/shared-service.ts";

/** Longer than the first delay, which is 5 seconds with jitter. */
const PAST_FIRST_DELAY_MS = 10_000;

const webhookSchema = z.object({ id: z.string(), secret: z.string() });
const deliveriesSchema = z.array(
  z.object({ id: z.string(), state: z.string(), attempts: z.array(z.object({ status: z.int() })) }),
);
const messageSchema = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

let service: SharedService;
beforeAll(async () => {
  service = await SharedService.use();
});
afterAll(() => service.end());

interface Receiver extends AsyncDisposable {
  url: string;
  requests: { headers: IncomingHttpHeaders; body: string }[];
}

/** A server that answers with the given statuses, and then with 200. */
async function openReceiver(...statuses: number[]): Promise<Receiver> {
  const requests: Receiver["requests"] = [];
  const server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request) });
    response.writeHead(statuses.shift() ?? 200).end("thanks");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port");
  return {
    url: `http://127.0.0.1:${address.port}/events`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function call(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${service.baseURL}${path}`, {
    method,
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.status === 204 ? undefined : await response.json();
}

test("a server receives the events of a session, also after it has failed", async () => {
  await using receiver = await openReceiver(500);
  const webhook = webhookSchema.parse(
    await call("POST", "/org/webhooks", { url: receiver.url, event_types: ["session.created"] }),
  );
  service.keepSecret(webhook.secret);
  const kernel = service.kernel();
  const session = await kernel.browsers.create({ timeout_seconds: 300, tags: { team: "backend" } });
  await expect.poll(() => receiver.requests).toHaveLength(1);
  const listDeliveries = async () =>
    deliveriesSchema.parse(await call("GET", `/org/webhooks/${webhook.id}/deliveries`));
  await expect.poll(listDeliveries).toMatchObject([{ state: "pending", attempts: [{ status: 500 }] }]);

  await service.runScheduled({ laterMs: PAST_FIRST_DELAY_MS });
  await expect
    .poll(listDeliveries)
    .toMatchObject([{ state: "delivered", attempts: [{ status: 500 }, { status: 200 }] }]);
  const [delivery] = await listDeliveries();
  const verifier = new Webhook(webhook.secret);
  expect(receiver.requests).toHaveLength(2);
  for (const { headers, body } of receiver.requests) {
    const signed = z.record(z.string(), z.string()).parse(headers);
    expect(messageSchema.parse(verifier.verify(body, signed))).toMatchObject({
      type: "session.created",
      data: { session_id: session.session_id, tags: { team: "backend" } },
    });
    expect(headers["webhook-id"]).toBe(delivery?.id);
  }
  await kernel.browsers.deleteByID(session.session_id);
});
