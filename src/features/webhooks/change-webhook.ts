import { encryptText } from "../../lib/common/encryption.ts";
import { notFound } from "../../lib/common/errors.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { type WebhookRow, webhooks } from "../../lib/database/schema/webhooks.ts";
import { requireDeliveryAddress } from "../../platform/network/delivery-address.ts";
import { insertWithinQuota } from "../organizations/index.ts";
import type { CreateWebhookBody, UpdateWebhookBody } from "./schema.ts";
import { secretOwner } from "./send-message.ts";
import { replaceSecret, updateWebhook } from "./store.ts";

/** The specification asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** Receivers have this long to adopt a new secret. */
const SECRET_OVERLAP_MS = 86_400_000;

/** @throws ServiceError 400 for an address that is not allowed, 429 at the limit of webhooks. */
export async function createWebhook(
  env: Env,
  organizationId: string,
  { url, event_types, description }: CreateWebhookBody,
): Promise<{ row: WebhookRow; secret: string }> {
  await requireDeliveryAddress(env, url, "url");
  const id = newIdentifier();
  const { secret, encryptedSecret } = await newSecret(env, id);
  const row: WebhookRow = {
    id,
    organizationId,
    url,
    description: description || null,
    eventTypes: event_types ?? null,
    encryptedSecret,
    previousEncryptedSecret: null,
    previousSecretUntil: null,
    createdAt: Date.now(),
    disabledAt: null,
  };
  await insertWithinQuota(
    openDatabase(env.DB),
    { kind: "webhooks", table: webhooks },
    row,
    readSettings(env).quotas,
  );
  return { row, secret };
}

/** @throws ServiceError 400 for a forbidden address, 404 if the organization has no such webhook. */
export async function changeWebhook(
  env: Env,
  reference: Pick<WebhookRow, "organizationId" | "id">,
  { url, event_types, description, enabled }: UpdateWebhookBody,
): Promise<WebhookRow> {
  if (url !== undefined) await requireDeliveryAddress(env, url, "url");
  const row = await updateWebhook(openDatabase(env.DB), reference, {
    url,
    eventTypes: event_types,
    description: description === undefined ? undefined : description || null,
    ...(enabled !== undefined && { disabledAt: enabled ? null : Date.now() }),
  });
  if (row === undefined) throw notFound("webhook");
  return row;
}

/** @throws ServiceError 404 if the organization has no such webhook. */
export async function rotateSecret(
  env: Env,
  reference: Pick<WebhookRow, "organizationId" | "id">,
): Promise<{ row: WebhookRow; secret: string }> {
  const { secret, encryptedSecret } = await newSecret(env, reference.id);
  const previousUntil = Date.now() + SECRET_OVERLAP_MS;
  const row = await replaceSecret(openDatabase(env.DB), reference, encryptedSecret, previousUntil);
  if (row === undefined) throw notFound("webhook");
  return { row, secret };
}

async function newSecret(env: Env, webhookId: string): Promise<{ secret: string; encryptedSecret: string }> {
  const secret = `whsec_${crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64()}`;
  return { secret, encryptedSecret: await encryptText(env, secretOwner(webhookId), secret) };
}
