import { z } from "@hono/zod-openapi";
import {
  DELIVERY_STATES,
  EVENT_TYPES,
  TEST_EVENT,
  type WebhookDeliveryRow,
  type WebhookRow,
} from "../../lib/database/schema/webhooks.ts";
import { countOf, flagOf, textOf, timeOf } from "../../lib/http/fields.ts";

const MAX_URL_LENGTH = 2048;
const MAX_DESCRIPTION_LENGTH = 255;

const EXAMPLE_TIME = "2026-01-02T15:04:05.123Z";

const urlSchema = z
  .url({ protocol: /^https?$/, error: "must be an https address" })
  .max(MAX_URL_LENGTH, `must have at most ${MAX_URL_LENGTH} characters`)
  .refine(hasNoCredentials, "must not hold a user name or password")
  .openapi({
    description:
      "Address that receives the events. https, or http where the service allows private addresses.",
    example: "https://example.com/events",
  });

const descriptionSchema = z.string().trim().max(MAX_DESCRIPTION_LENGTH);

const eventTypesSchema = z
  .array(z.enum(EVENT_TYPES))
  .min(1)
  .max(EVENT_TYPES.length)
  .nullish()
  .openapi({ description: "Types of events to send; null: all.", example: ["session.ended"] });

export const createWebhookBodySchema = z
  .object({
    url: urlSchema,
    event_types: eventTypesSchema,
    description: descriptionSchema.optional().openapi({ description: "For display only.", example: "CRM" }),
  })
  .openapi("CreateWebhook");

export type CreateWebhookBody = z.infer<typeof createWebhookBodySchema>;

export const updateWebhookBodySchema = z
  .object({
    url: urlSchema.optional(),
    event_types: eventTypesSchema,
    description: descriptionSchema.nullish().describe("For display only; null removes it."),
    enabled: flagOf("false: pending deliveries fail; true: events are sent.").optional(),
  })
  .openapi("UpdateWebhook");

export type UpdateWebhookBody = z.infer<typeof updateWebhookBodySchema>;

export const webhookParamSchema = z.object({ id: textOf("Id of the webhook.") });

export const webhookSchema = z
  .object({
    id: textOf("Id of the webhook.", "w0m3q9x7c2v5b8n1k4j6h0gd"),
    url: textOf("Address that receives the events.", "https://example.com/events"),
    event_types: z
      .array(z.enum(EVENT_TYPES))
      .nullable()
      .openapi({ description: "Types of events that are sent; null: all.", example: ["session.ended"] }),
    description: textOf("For display only.", "CRM").nullable(),
    enabled: flagOf("Whether events are sent. An answer 410 disables it.", true),
    created_at: z.iso.datetime().openapi({ description: "When it was created.", example: EXAMPLE_TIME }),
  })
  .openapi("Webhook");

export const createdWebhookSchema = webhookSchema
  .extend({
    secret: textOf("Key of the signatures. It is shown only once.", "whsec_…"),
  })
  .openapi("CreatedWebhook");

const attemptSchema = z.object({
  at: z.iso.datetime().openapi({ description: "When it began.", example: EXAMPLE_TIME }),
  status: countOf("Status of the response.", 500).optional(),
  error: textOf("Why there was no response.").optional(),
  duration_ms: countOf("How long it took, in milliseconds.", 120),
});

export const deliverySchema = z
  .object({
    id: textOf("The `webhook-id` header of all attempts.", "5f0d4c2b9a8e7f6d5c4b3a21"),
    event_type: z
      .enum([...EVENT_TYPES, TEST_EVENT])
      .openapi({ description: "Type of the event.", example: "session.ended" }),
    created_at: z.iso.datetime().openapi({ description: "When the event occurred.", example: EXAMPLE_TIME }),
    payload: textOf("The body of the message, which the signature covers.", '{"type":"session.ended",…}'),
    state: z
      .enum(DELIVERY_STATES)
      .openapi({ description: "pending: attempts continue.", example: "delivered" }),
    state_reason: textOf("Why it failed.", null).nullable(),
    attempts: z.array(attemptSchema).describe("The last 10 attempts, oldest first."),
    next_attempt_at: timeOf("When the next attempt is due; null when there is none.", null).nullable(),
  })
  .openapi("WebhookDelivery");

export function presentWebhook(row: WebhookRow): z.infer<typeof webhookSchema> {
  const { id, url, eventTypes, description } = row;
  const created_at = new Date(row.createdAt).toISOString();
  return { id, url, event_types: eventTypes, description, enabled: row.disabledAt === null, created_at };
}

export function presentDelivery(row: WebhookDeliveryRow): z.infer<typeof deliverySchema> {
  const { id, state, attempts } = row;
  return {
    id,
    event_type: row.eventType,
    created_at: new Date(row.createdAt).toISOString(),
    payload: row.body,
    state,
    state_reason: row.stateReason,
    attempts,
    next_attempt_at: state === "pending" ? new Date(row.nextAttemptAt).toISOString() : null,
  };
}

function hasNoCredentials(address: string): boolean {
  const { username = "", password = "" } = URL.parse(address) ?? {};
  return username === "" && password === "";
}
