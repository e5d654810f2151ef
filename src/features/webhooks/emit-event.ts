import { exports } from "cloudflare:workers";
import { forEachConcurrently } from "../../lib/common/concurrency.ts";
import { logError } from "../../lib/common/log.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { EventType, TEST_EVENT, WebhookDeliveryRow } from "../../lib/database/schema/webhooks.ts";
import type { Background } from "../../lib/objects/background.ts";
import { insertDeliveries, selects } from "./store.ts";

/** JSON without tokens, and without URLs that hold any. */
export type EventData = Record<string, unknown>;

/**
 * Sends an event to the organization's webhooks in the background. Failures are logged. Costs one indexed
 * read for an organization without webhooks.
 *
 * @example
 * emitEvent(state, organizationId, "pool.failing", { pool_id: pool.id });
 */
export function emitEvent(
  background: Background,
  organizationId: string,
  type: EventType,
  data: EventData,
): void {
  const { env } = background;
  const onFailure = (error: unknown) =>
    logError("event_not_sent", error, { organization_id: organizationId, type });
  const work = async () => {
    const receivers = selects(organizationId, type);
    const deliveries = await insertDeliveries(openDatabase(env.DB), receivers, toMessage(type, data));
    const pending = deliveries.filter(({ state }) => state === "pending");
    const attempt = (delivery: WebhookDeliveryRow) => exports.OutgoingCalls.attemptDelivery(delivery);
    await forEachConcurrently(pending, attempt, onFailure);
  };
  background.waitUntil(work().catch(onFailure));
}

export function toMessage(
  eventType: EventType | typeof TEST_EVENT,
  data: EventData,
): Pick<WebhookDeliveryRow, "eventType" | "body" | "createdAt"> {
  const now = new Date();
  const body = JSON.stringify({ type: eventType, timestamp: now.toISOString(), data });
  return { eventType, body, createdAt: now.getTime() };
}
