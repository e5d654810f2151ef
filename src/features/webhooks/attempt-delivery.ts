import { logEvent } from "../../lib/common/log.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { WebhookDeliveryRow } from "../../lib/database/schema/webhooks.ts";
import { planDelivery } from "./retry-policy.ts";
import { sendMessage } from "./send-message.ts";
import { findReceiver, recordAttempt, updateWebhook } from "./store.ts";

const MAX_RECORDED_ATTEMPTS = 10;

/** Sends a claimed delivery, records the result. @returns undefined if the webhook is deleted or disabled. */
export async function attemptDelivery(
  env: Env,
  delivery: WebhookDeliveryRow,
): Promise<WebhookDeliveryRow | undefined> {
  const database = openDatabase(env.DB);
  const webhook = await findReceiver(database, delivery.webhookId);
  if (webhook === undefined) return undefined;
  const startedAt = Date.now();
  const result = await sendMessage(env, webhook, delivery);
  const now = Date.now();
  const attempt = { at: new Date(startedAt).toISOString(), ...result, duration_ms: now - startedAt };
  const attempts = [...delivery.attempts, attempt].slice(-MAX_RECORDED_ATTEMPTS);
  const status = "status" in result ? result.status : undefined;
  const plan = planDelivery(delivery, { attempts: attempts.length, status, now });
  const recorded = await recordAttempt(database, delivery.id, { ...plan, attempts });
  if (status === 410) {
    await updateWebhook(database, webhook, { disabledAt: now });
    logEvent("webhook_disabled", { webhook_id: webhook.id, organization_id: webhook.organizationId });
  }
  return recorded;
}
