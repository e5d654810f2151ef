export { attemptDelivery } from "./attempt-delivery.ts";
export { type Background, emitEvent } from "./emit-event.ts";
export { webhookRoutes } from "./routes.ts";
export { sweepWebhooks } from "./sweep.ts";
