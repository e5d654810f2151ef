import { and, count, desc, eq, gte, inArray, isNull, lt, lte, ne, not, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../lib/database/client.ts";
import { hourOf, type RecentRows } from "../../lib/database/count-by-hour.ts";
import {
  type EventType,
  TEST_EVENT,
  type WebhookDeliveryRow,
  type WebhookRow,
  webhookDeliveries,
  webhooks,
} from "../../lib/database/schema/webhooks.ts";
import type { PageRequest } from "../../lib/http/pagination.ts";
import { isKnownOrganization } from "../organizations/index.ts";
import { type DeliveryChange, GIVE_UP_MS } from "./retry-policy.ts";

const MAX_PENDING = 1000;

/** Longer than an attempt takes. A claim whose attempt is lost expires by itself. */
const CLAIM_MS = 60_000;

// A partial index is used only for its very condition, without bound values.
const isPending = sql`state = 'pending'`;
const isEnded = sql`state <> 'pending'`;

const hasOrganization = isKnownOrganization(webhooks.organizationId);
const mayReceive = and(isNull(webhooks.disabledAt), hasOrganization);
const isFull = sql`(SELECT count(*) FROM ${webhookDeliveries}
  WHERE ${webhookDeliveries.webhookId} = ${webhooks.id} AND ${isPending}) >= ${MAX_PENDING}`;

export function isWebhook(organizationId: string, id: string): SQL | undefined {
  return and(eq(webhooks.id, id), eq(webhooks.organizationId, organizationId));
}

export async function findWebhook(
  database: Database,
  organizationId: string,
  id: string,
): Promise<WebhookRow | undefined> {
  const [row] = await database.select().from(webhooks).where(isWebhook(organizationId, id));
  return row;
}

/** Newest first, with one row more than the page has. */
export async function listWebhooks(
  database: Database,
  organizationId: string,
  page: PageRequest,
): Promise<WebhookRow[]> {
  return database
    .select()
    .from(webhooks)
    .where(eq(webhooks.organizationId, organizationId))
    .orderBy(desc(webhooks.createdAt), desc(webhooks.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

/** Deliveries of a disabled webhook fail. @returns undefined if there is no such webhook. */
export async function updateWebhook(
  database: Database,
  { organizationId, id }: Pick<WebhookRow, "organizationId" | "id">,
  change: Partial<Pick<WebhookRow, "url" | "description" | "eventTypes" | "disabledAt">>,
): Promise<WebhookRow | undefined> {
  const isDisabled = sql`EXISTS (SELECT 1 FROM ${webhooks}
    WHERE ${webhooks.id} = ${webhookDeliveries.webhookId} AND ${webhooks.disabledAt} IS NOT NULL)`;
  const [[row]] = await database.batch([
    // Setting the id keeps the statement valid for an empty change.
    database
      .update(webhooks)
      .set({ id, ...change })
      .where(isWebhook(organizationId, id))
      .returning(),
    failPending(database, and(eq(webhookDeliveries.webhookId, id), isDisabled), "The webhook is disabled"),
  ]);
  return row;
}

/** Until `previousUntil`, messages are also signed with the previous secret. */
export async function replaceSecret(
  database: Database,
  { organizationId, id }: Pick<WebhookRow, "organizationId" | "id">,
  encryptedSecret: string,
  previousUntil: number,
): Promise<WebhookRow | undefined> {
  const [row] = await database
    .update(webhooks)
    .set({
      encryptedSecret,
      previousEncryptedSecret: sql`${webhooks.encryptedSecret}`,
      previousSecretUntil: previousUntil,
    })
    .where(isWebhook(organizationId, id))
    .returning();
  return row;
}

/** Deletes a webhook and its deliveries. @returns false if the organization has no such webhook. */
export async function deleteWebhook(
  database: Database,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const [, deleted] = await database.batch([
    deleteDeliveriesOf(database, isWebhook(organizationId, id)),
    database.delete(webhooks).where(isWebhook(organizationId, id)).returning({ id: webhooks.id }),
  ]);
  return deleted.length > 0;
}

/** Newest first, with one row more than the page has. The caller has checked the webhook's organization. */
export async function listDeliveries(
  database: Database,
  webhookId: string,
  page: PageRequest,
): Promise<WebhookDeliveryRow[]> {
  return database
    .select()
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.webhookId, webhookId))
    .orderBy(desc(webhookDeliveries.createdAt), desc(webhookDeliveries.id))
    .limit(page.limit + 1)
    .offset(page.offset);
}

/** The enabled webhooks of an organization that select a type. */
export function selects(organizationId: string, type: EventType): SQL | undefined {
  const isSelected = sql`EXISTS (SELECT 1 FROM json_each(${webhooks.eventTypes}) WHERE value = ${type})`;
  return and(eq(webhooks.organizationId, organizationId), or(isNull(webhooks.eventTypes), isSelected));
}

/** Writes claimed deliveries for enabled webhooks that match. They fail at once if too many are pending. */
export async function insertDeliveries(
  database: Database,
  receivers: SQL | undefined,
  { eventType, body, createdAt }: Pick<WebhookDeliveryRow, "eventType" | "body" | "createdAt">,
): Promise<WebhookDeliveryRow[]> {
  const reason = `The webhook had ${MAX_PENDING} pending deliveries`;
  return database
    .insert(webhookDeliveries)
    .select(
      // In the order of the table's columns.
      sql`SELECT lower(hex(randomblob(12))), id, ${eventType}, ${body}, ${createdAt},
        iif(is_full, 'failed', 'pending'), iif(is_full, ${reason}, NULL), '[]', ${createdAt + CLAIM_MS},
        iif(is_full, ${createdAt}, NULL)
        FROM (SELECT ${webhooks.id} AS id, ${isFull} AS is_full FROM ${webhooks} WHERE ${and(receivers, mayReceive)})`,
    )
    .returning();
}

/** In random order, so that slow receivers do not block the others. */
export async function listDueWebhooks(database: Database, now: number, limit: number): Promise<string[]> {
  const rows = await database
    .select({ id: webhookDeliveries.webhookId })
    .from(webhookDeliveries)
    .where(and(isPending, lte(webhookDeliveries.nextAttemptAt, now)))
    .groupBy(webhookDeliveries.webhookId)
    .orderBy(sql`random()`)
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Claims a webhook's most overdue delivery in one statement, so that no other sweep sends it. */
export async function claimDueDelivery(
  database: Database,
  webhookId: string,
  now: number,
): Promise<WebhookDeliveryRow | undefined> {
  const [row] = await database
    .update(webhookDeliveries)
    .set({ nextAttemptAt: now + CLAIM_MS })
    .where(
      sql`${webhookDeliveries.id} = (SELECT id FROM webhook_deliveries
        WHERE webhook_id = ${webhookId} AND ${isPending} AND next_attempt_at <= ${now}
        ORDER BY next_attempt_at LIMIT 1)`,
    )
    .returning();
  return row;
}

/** @returns undefined if there is no such delivery, null while it may be sent, or its webhook takes no more. */
export async function claimAgain(
  database: Database,
  { id, webhookId }: Pick<WebhookDeliveryRow, "id" | "webhookId">,
  now: number,
): Promise<WebhookDeliveryRow | null | undefined> {
  const isIt = and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.webhookId, webhookId));
  const isIdle = or(isEnded, sql`next_attempt_at NOT BETWEEN ${now} AND ${now + CLAIM_MS}`);
  const takesMore = and(eq(webhooks.id, webhookId), mayReceive, not(isFull));
  const [[known], [claimed]] = await database.batch([
    database.select({ id: webhookDeliveries.id }).from(webhookDeliveries).where(isIt),
    database
      .update(webhookDeliveries)
      .set({ state: "pending", stateReason: null, endedAt: null, nextAttemptAt: now + CLAIM_MS })
      .where(and(isIt, isIdle, sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE ${takesMore})`))
      .returning(),
  ]);
  return known && (claimed ?? null);
}

/** @returns undefined if the webhook is deleted or disabled. */
export async function findReceiver(database: Database, id: string): Promise<WebhookRow | undefined> {
  const [row] = await database
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, id), mayReceive));
  return row;
}

/** @returns undefined if the delivery ended meanwhile. */
export async function recordAttempt(
  database: Database,
  id: string,
  change: DeliveryChange & Pick<WebhookDeliveryRow, "attempts">,
): Promise<WebhookDeliveryRow | undefined> {
  const [row] = await database
    .update(webhookDeliveries)
    .set(change)
    .where(and(eq(webhookDeliveries.id, id), isPending))
    .returning();
  return row;
}

/** Fails overdue deliveries, and removes those that ended long ago and what deleted organizations had. */
export async function removeExpired(database: Database, now: number, retentionMs: number): Promise<void> {
  const isOverdue = and(
    lt(webhookDeliveries.createdAt, now - GIVE_UP_MS),
    lte(webhookDeliveries.nextAttemptAt, now),
  );
  await database.batch([
    deleteDeliveriesOf(database, not(hasOrganization)),
    database.delete(webhooks).where(not(hasOrganization)),
    failPending(database, isOverdue, "All attempts in 24 hours have failed"),
    database.delete(webhookDeliveries).where(and(isEnded, lt(webhookDeliveries.endedAt, now - retentionMs))),
  ]);
}

function deleteDeliveriesOf(database: Database, isDeleted: SQL | undefined) {
  const ids = database.select({ id: webhooks.id }).from(webhooks).where(isDeleted);
  return database.delete(webhookDeliveries).where(inArray(webhookDeliveries.webhookId, ids));
}

function failPending(database: Database, condition: SQL | undefined, stateReason: string) {
  return database
    .update(webhookDeliveries)
    .set({ state: "failed", stateReason, endedAt: Date.now() })
    .where(and(condition, isPending));
}

/** A query. */
export const countPending = sql`SELECT count(*) FROM ${webhookDeliveries} WHERE ${isPending}`;

/** A statement that counts deliveries that failed. */
export function failedDeliveriesByHour(database: Database, { organizationId, since, earliest }: RecentRows) {
  return database
    .select({ hour: hourOf(webhookDeliveries.endedAt, since), count: count() })
    .from(webhooks)
    .innerJoin(webhookDeliveries, eq(webhookDeliveries.webhookId, webhooks.id))
    .where(
      and(
        eq(webhooks.organizationId, organizationId),
        eq(webhookDeliveries.state, "failed"),
        ne(webhookDeliveries.eventType, TEST_EVENT),
        gte(webhookDeliveries.createdAt, earliest),
        gte(webhookDeliveries.endedAt, since),
      ),
    )
    .groupBy(sql`hour`);
}
