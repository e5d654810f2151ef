import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The types that a webhook can select. */
export const EVENT_TYPES = [
  "session.created",
  "session.ended",
  "session.crashed",
  "pool.failing",
  "invocation.finished",
  "replay.ready",
  "handoff.requested",
  "handoff.completed",
  "organization.budget_reached",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export const TEST_EVENT = "webhook.test";

export const DELIVERY_STATES = ["pending", "delivered", "failed"] as const;

export interface DeliveryAttempt {
  /** ISO 8601. */
  at: string;
  /** Status of the response. Without one, `error` is set. */
  status?: number;
  error?: string;
  duration_ms: number;
}

/** Secrets are encrypted under `ENCRYPTION_KEY`. A deleted webhook is removed at once. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    url: text("url").notNull(),
    description: text("description"),
    /** Null: all types. */
    eventTypes: text("event_types", { mode: "json" }).$type<EventType[]>(),
    encryptedSecret: text("encrypted_secret").notNull(),
    /** Also signs messages until `previousSecretUntil`. */
    previousEncryptedSecret: text("previous_encrypted_secret"),
    previousSecretUntil: integer("previous_secret_until"),
    createdAt: integer("created_at").notNull(),
    disabledAt: integer("disabled_at"),
  },
  (table) => [index("webhooks_all").on(table.organizationId, table.createdAt, table.id)],
);

export type WebhookRow = typeof webhooks.$inferSelect;

/**
 * One event for one webhook. An attempt claims the row in one statement, so that no two send it. The sweep
 * retries due rows, and removes those that ended `WEBHOOK_DELIVERY_RETENTION_SECONDS` ago.
 */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    id: text("id").primaryKey(),
    webhookId: text("webhook_id").notNull(),
    eventType: text("event_type", { enum: [...EVENT_TYPES, TEST_EVENT] }).notNull(),
    /** JSON, as it is sent. */
    body: text("body").notNull(),
    createdAt: integer("created_at").notNull(),
    state: text("state", { enum: DELIVERY_STATES }).notNull(),
    stateReason: text("state_reason"),
    attempts: text("attempts", { mode: "json" }).$type<DeliveryAttempt[]>().notNull(),
    /** When a sweep may claim it. A claim moves this to a time after the attempt. */
    nextAttemptAt: integer("next_attempt_at").notNull(),
    endedAt: integer("ended_at"),
  },
  (table) => [
    index("webhook_deliveries_all").on(table.webhookId, table.createdAt, table.id),
    index("webhook_deliveries_pending")
      .on(table.webhookId, table.nextAttemptAt)
      .where(sql`state = 'pending'`),
    index("webhook_deliveries_by_end").on(table.endedAt).where(sql`state <> 'pending'`),
  ],
);

export type WebhookDeliveryRow = typeof webhookDeliveries.$inferSelect;
