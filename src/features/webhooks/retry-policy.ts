import { TEST_EVENT, type WebhookDeliveryRow } from "../../lib/database/schema/webhooks.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The last delay repeats. */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
];

/** No attempt is made later than this after the event. */
export const GIVE_UP_MS = 24 * HOUR_MS;

/** A delay differs from the table by at most this fraction. */
const JITTER = 0.2;

export type DeliveryChange = Pick<WebhookDeliveryRow, "state" | "stateReason" | "endedAt"> & {
  nextAttemptAt?: number;
};

/** @param attempts how many were made. @param status of the last response; undefined without one. */
export function planDelivery(
  { eventType, createdAt }: Pick<WebhookDeliveryRow, "eventType" | "createdAt">,
  { attempts, status = 0, now }: { attempts: number; status?: number; now: number },
  random = Math.random(),
): DeliveryChange {
  if (status >= 200 && status < 300) return { state: "delivered", stateReason: null, endedAt: now };
  const failed = (stateReason: string) => ({ state: "failed" as const, stateReason, endedAt: now });
  if (status === 410) return failed("The receiver answered 410, which disables the webhook");
  if (eventType === TEST_EVENT) return failed("Tests are not retried");
  const delayMs = RETRY_DELAYS_MS[Math.min(attempts, RETRY_DELAYS_MS.length) - 1] ?? SECOND_MS;
  const nextAttemptAt = Math.round(now + delayMs * (1 + JITTER * (2 * random - 1)));
  if (nextAttemptAt > createdAt + GIVE_UP_MS) return failed("All attempts in 24 hours have failed");
  return { state: "pending", stateReason: null, endedAt: null, nextAttemptAt };
}
