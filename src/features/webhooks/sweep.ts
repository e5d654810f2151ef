import { sweepEach, sweepInSteps } from "../../lib/common/concurrency.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { queriesLeft } from "../../lib/database/query-budget.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import { claimDueDelivery, listDueWebhooks, removeExpired } from "./store.ts";

const MAX_WEBHOOKS = 50;
const MAX_DELIVERIES = 20;

/** The rest is left to the next run, which may start a minute after this one. */
const MAX_SWEEP_MS = 45_000;

/** To claim a delivery, find its webhook, and record the attempt, which may disable the webhook. */
const QUERIES_PER_DELIVERY = 5;

/** Limits how long a slow receiver keeps the others waiting. */
const MAX_TURN_MS = 10_000;

/** Removes old deliveries and makes the attempts that are due. Never throws. */
export async function sweepWebhooks(env: Env, now: number): Promise<void> {
  await sweepInSteps([
    () => removeExpired(openDatabase(env.DB), now, readSettings(env).webhookDeliveryRetentionMs),
    () => deliverDue(env, now),
  ]);
}

async function deliverDue(env: Env, now: number): Promise<void> {
  const end = Date.now() + MAX_SWEEP_MS;
  const webhookIds = await listDueWebhooks(openDatabase(env.DB), now, MAX_WEBHOOKS);
  await sweepEach(webhookIds, (webhookId) =>
    deliverDueOf(env, webhookId, { now, end: Math.min(end, Date.now() + MAX_TURN_MS) }),
  );
}

/** Stops at a failure, so that a receiver that is down gets one request a minute. */
async function deliverDueOf(
  env: Env,
  webhookId: string,
  { now, end }: { now: number; end: number },
): Promise<void> {
  const mayContinue = () => Date.now() < end && queriesLeft(env.DB) >= QUERIES_PER_DELIVERY;
  for (let count = 0; count < MAX_DELIVERIES && mayContinue(); count += 1) {
    const claimed = await claimDueDelivery(openDatabase(env.DB), webhookId, now);
    const attempted = claimed && (await attemptDelivery(env, claimed));
    if (attempted?.state !== "delivered") return;
  }
}
