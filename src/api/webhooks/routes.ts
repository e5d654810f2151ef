import { type Caller, type CallerEnv, requireAPIKey } from "../../features/organizations/index.ts";
import {
  attemptDelivery,
  changeWebhook,
  claimAgain,
  createdWebhookSchema,
  createWebhook,
  createWebhookBodySchema,
  deleteWebhook,
  deliverySchema,
  findWebhook,
  insertDeliveries,
  isWebhook,
  listDeliveries,
  listWebhooks,
  presentDelivery,
  presentWebhook,
  rotateSecret,
  TEST_EVENT,
  toMessage,
  updateWebhookBodySchema,
  webhookParamSchema,
  webhookSchema,
} from "../../features/webhooks/index.ts";
import { conflict, notFound, requireFound } from "../../lib/common/errors.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { WebhookRow } from "../../lib/database/schema/webhooks.ts";
import { textOf } from "../../lib/http/fields.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { pageQuerySchema, pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";

const route = routesOf("Webhooks", API_KEY_SECURITY);
const params = webhookParamSchema;

export const webhookRoutes = newRouter<CallerEnv>();

webhookRoutes.openapi(
  route("post", "/org/webhooks", {
    operationId: "createWebhook",
    summary: "Create a webhook",
    description:
      "Events are sent as described at https://www.standardwebhooks.com. 429 at the limit of webhooks.",
    request: { body: jsonRequest(createWebhookBodySchema) },
    responses: { 201: jsonResponse(createdWebhookSchema, "The webhook; its secret is shown this once.") },
  }),
  async (c) => {
    const { organizationId } = requireAPIKey(c.var.caller);
    const { row, secret } = await createWebhook(c.env, organizationId, c.req.valid("json"));
    return c.json({ ...presentWebhook(row), secret }, 201);
  },
);

webhookRoutes.openapi(
  route("get", "/org/webhooks", {
    operationId: "listWebhooks",
    summary: "List webhooks",
    description: "Newest first.",
    request: { query: pageQuerySchema },
    responses: { 200: pageResponse(webhookSchema, "A page of webhooks.") },
  }),
  async (c) => {
    const { organizationId } = requireAPIKey(c.var.caller);
    const page = c.req.valid("query");
    const { items, headers } = toPage(await listWebhooks(openDatabase(c.env.DB), organizationId, page), page);
    return c.json(items.map(presentWebhook), 200, headers);
  },
);

webhookRoutes.openapi(
  route("get", "/org/webhooks/{id}", {
    operationId: "getWebhook",
    summary: "Get a webhook",
    description: "The secret is never shown.",
    request: { params },
    responses: { 200: jsonResponse(webhookSchema, "The webhook.") },
  }),
  async (c) =>
    c.json(presentWebhook(await requireWebhook(c.env, c.var.caller, c.req.valid("param").id)), 200),
);

webhookRoutes.openapi(
  route("patch", "/org/webhooks/{id}", {
    operationId: "changeWebhook",
    summary: "Change a webhook",
    description: "An absent field keeps its value. Pending deliveries go to the new `url`.",
    request: { params, body: jsonRequest(updateWebhookBodySchema) },
    responses: { 200: jsonResponse(webhookSchema, "The webhook.") },
  }),
  async (c) => {
    const { organizationId } = requireAPIKey(c.var.caller);
    const { id } = c.req.valid("param");
    const row = await changeWebhook(c.env, { organizationId, id }, c.req.valid("json"));
    return c.json(presentWebhook(row), 200);
  },
);

webhookRoutes.openapi(
  route("delete", "/org/webhooks/{id}", {
    operationId: "deleteWebhook",
    summary: "Delete a webhook",
    description: "Its deliveries are also deleted.",
    request: { params },
    responses: { 204: { description: "Deleted." } },
  }),
  async (c) => {
    const { organizationId } = requireAPIKey(c.var.caller);
    const { id } = c.req.valid("param");
    if (!(await deleteWebhook(openDatabase(c.env.DB), organizationId, id))) throw notFound("webhook");
    return c.body(null, 204);
  },
);

webhookRoutes.openapi(
  route("post", "/org/webhooks/{id}/test", {
    operationId: "testWebhook",
    summary: "Test a webhook",
    description: "Sends one event `webhook.test` and waits for the answer. 409 when the webhook is disabled.",
    request: { params },
    responses: { 200: jsonResponse(deliverySchema, "The result.") },
    errors: [409],
  }),
  async (c) => {
    const { id, organizationId } = await requireWebhook(c.env, c.var.caller, c.req.valid("param").id);
    const message = toMessage(TEST_EVENT, { webhook_id: id });
    const [inserted] = await insertDeliveries(openDatabase(c.env.DB), isWebhook(organizationId, id), message);
    if (inserted === undefined) throw conflict("The webhook is disabled");
    const delivery = inserted.state === "pending" ? await attemptDelivery(c.env, inserted) : inserted;
    if (delivery === undefined) throw notFound("webhook");
    return c.json(presentDelivery(delivery), 200);
  },
);

webhookRoutes.openapi(
  route("post", "/org/webhooks/{id}/rotate_secret", {
    operationId: "rotateSecretOfWebhook",
    summary: "Rotate the secret of a webhook",
    description: "For 24 hours, messages are signed with both the new secret and the previous one.",
    request: { params },
    responses: { 200: jsonResponse(createdWebhookSchema, "The webhook; its new secret is shown this once.") },
  }),
  async (c) => {
    const { organizationId } = requireAPIKey(c.var.caller);
    const { id } = c.req.valid("param");
    const { row, secret } = await rotateSecret(c.env, { organizationId, id });
    return c.json({ ...presentWebhook(row), secret }, 200);
  },
);

webhookRoutes.openapi(
  route("get", "/org/webhooks/{id}/deliveries", {
    operationId: "listDeliveriesOfWebhook",
    summary: "List deliveries of a webhook",
    description: "Newest first. Ended deliveries are kept for 7 days by default.",
    request: { params, query: pageQuerySchema },
    responses: { 200: pageResponse(deliverySchema, "A page of deliveries.") },
  }),
  async (c) => {
    const { id } = await requireWebhook(c.env, c.var.caller, c.req.valid("param").id);
    const page = c.req.valid("query");
    const { items, headers } = toPage(await listDeliveries(openDatabase(c.env.DB), id, page), page);
    return c.json(items.map(presentDelivery), 200, headers);
  },
);

webhookRoutes.openapi(
  route("post", "/org/webhooks/{id}/deliveries/{delivery_id}/resend", {
    operationId: "resendDeliveryOfWebhook",
    summary: "Resend a delivery of a webhook",
    description:
      "Sends the same message with the same `webhook-id` and waits for the answer. Within 24 hours of the event, a failed " +
      "attempt is retried. 409 when the webhook is disabled or full, or while an attempt is running or due within a minute.",
    request: { params: params.extend({ delivery_id: textOf("Id of the delivery.") }) },
    responses: { 200: jsonResponse(deliverySchema, "The result.") },
    errors: [409],
  }),
  async (c) => {
    const { id, delivery_id } = c.req.valid("param");
    const { id: webhookId } = await requireWebhook(c.env, c.var.caller, id);
    const delivery = { id: delivery_id, webhookId };
    const claimed = await claimAgain(openDatabase(c.env.DB), delivery, Date.now());
    if (claimed === null) throw conflict("The webhook is disabled or full, or an attempt is due soon");
    const attempted = await attemptDelivery(c.env, requireFound(claimed, "delivery"));
    return c.json(presentDelivery(requireFound(attempted, "delivery")), 200);
  },
);

/** @throws ServiceError 403 without an API key, 404 if its organization has no such webhook. */
async function requireWebhook(env: Env, caller: Caller, id: string): Promise<WebhookRow> {
  const { organizationId } = requireAPIKey(caller);
  return requireFound(await findWebhook(openDatabase(env.DB), organizationId, id), "webhook");
}
