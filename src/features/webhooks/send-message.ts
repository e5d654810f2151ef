import { Webhook } from "standardwebhooks";
import { DecryptionError, decryptText } from "../../lib/common/encryption.ts";
import { logError } from "../../lib/common/log.ts";
import type { WebhookDeliveryRow, WebhookRow } from "../../lib/database/schema/webhooks.ts";
import { deliveryRules } from "../../platform/network/delivery-address.ts";
import { newGuardedFetch } from "../../platform/network/guarded-fetch.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../platform/network/network-error.ts";
import { outgoingFetch } from "../../platform/network/outgoing-fetch.ts";
import type { ResolveName } from "../../platform/network/resolve.ts";

const TIMEOUT_MS = 10_000;

const MAX_ERROR_LENGTH = 200;

export function secretOwner(webhookId: string): string {
  return `webhook:${webhookId}`;
}

/** Makes one attempt to send. A failure is a result, not an exception. The response's body is not read. */
export async function sendMessage(
  env: Env,
  webhook: WebhookRow,
  { id, body }: Pick<WebhookDeliveryRow, "id" | "body">,
  resolve?: ResolveName,
): Promise<{ status: number } | { error: string }> {
  const rules = deliveryRules(env, resolve);
  const send = outgoingFetch(env, rules);
  const guardedFetch = newGuardedFetch({
    ...rules,
    fetch: async (url, init) => withoutBody(await send(url, init)),
    maxRedirects: 0,
    maxResponseBytes: 0,
    timeoutMs: TIMEOUT_MS,
  });
  try {
    const headers = await signedHeaders(env, webhook, { id, body });
    const { status } = await guardedFetch(webhook.url, {
      method: "POST",
      headers,
      body,
      followRedirects: false,
    });
    return { status };
  } catch (error) {
    if (error instanceof NetworkRefusedError || error instanceof NetworkFailedError) {
      return { error: error.message.slice(0, MAX_ERROR_LENGTH) };
    }
    logError("webhook_message_not_sent", error, { webhook_id: webhook.id });
    if (error instanceof DecryptionError) return { error: "The webhook's secret cannot be read" };
    return { error: "The service failed" };
  }
}

/** Headers of https://www.standardwebhooks.com, with a signature for each valid secret. */
async function signedHeaders(
  env: Env,
  webhook: WebhookRow,
  { id, body }: Pick<WebhookDeliveryRow, "id" | "body">,
): Promise<Record<string, string>> {
  const { encryptedSecret, previousEncryptedSecret, previousSecretUntil } = webhook;
  const now = new Date();
  const sealed = [encryptedSecret];
  if (previousEncryptedSecret !== null && (previousSecretUntil ?? 0) > now.getTime()) {
    sealed.push(previousEncryptedSecret);
  }
  const signatures = sealed.map(async (secret) =>
    new Webhook(await decryptText(env, secretOwner(webhook.id), secret)).sign(id, now, body),
  );
  return {
    "content-type": "application/json",
    "user-agent": "Berth",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": (await Promise.all(signatures)).join(" "),
  };
}

function withoutBody(response: Response): Response {
  response.body?.cancel().catch(() => {});
  return new Response(null, { status: response.status });
}
