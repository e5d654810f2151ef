import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { z } from "zod";
import { SharedService } from "../conformance/shared-service.ts";
import { serveHTTP } from "../outside/local-server.ts";

/** Longer than the first delay, which is 5 seconds with jitter. */
const PAST_FIRST_DELAY_MS = 10_000;

const webhookSchema = z.object({ id: z.string(), secret: z.string() });
const deliveriesSchema = z.array(
  z.object({ id: z.string(), state: z.string(), attempts: z.array(z.object({ status: z.int() })) }),
);
const messageSchema = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

const service = await SharedService.use();

/** A server that answers with the given statuses, and then with 200. */
async function openReceiver(...statuses: number[]) {
  const requests: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = await serveHTTP(async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request) });
    response.writeHead(statuses.shift() ?? 200).end("thanks");
  });
  return { ...server, url: `${server.origin}/events`, requests };
}

test("a server receives the events of a session, also after it has failed", async () => {
  await using receiver = await openReceiver(500);
  const body = { url: receiver.url, event_types: ["session.created"] };
  const webhook = webhookSchema.parse(await (await service.send("POST", "/org/webhooks", body)).json());
  service.keepSecret(webhook.secret);
  const kernel = service.kernel();
  const session = await kernel.browsers.create({ timeout_seconds: 300, tags: { team: "backend" } });
  await expect.poll(() => receiver.requests).toHaveLength(1);
  const listDeliveries = async () =>
    deliveriesSchema.parse(
      await (await service.send("GET", `/org/webhooks/${webhook.id}/deliveries`)).json(),
    );
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
