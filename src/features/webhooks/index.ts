export { TEST_EVENT } from "../../lib/database/schema/webhooks.ts";
export { attemptDelivery } from "./attempt-delivery.ts";
export { changeWebhook, createWebhook, rotateSecret } from "./change-webhook.ts";
export { emitEvent, toMessage } from "./emit-event.ts";
export * from "./schema.ts";
export {
  claimAgain,
  countPending,
  deleteWebhook,
  failedDeliveriesByHour,
  findWebhook,
  insertDeliveries,
  isWebhook,
  listDeliveries,
  listWebhooks,
} from "./store.ts";
export { sweepWebhooks } from "./sweep.ts";
