export { deleteArchive, openArchive, writeArchive } from "./archive.ts";
export {
  changeConfig,
  DEFAULT_CONFIG,
  presentConfig,
  type TelemetryConfig,
  type TelemetryRequest,
} from "./config.ts";
export { CATEGORIES, type TelemetryEvent } from "./event.ts";
export { type EventPage, type EventQuery, readEventPage } from "./event-pages.ts";
export { eventTitle } from "./event-title.ts";
export { changeDestination, createDestination } from "./export/destination.ts";
export { type SendResult, selectDestination, sendLogs } from "./export/index.ts";
export * from "./export/schema.ts";
export { sendTestRecord } from "./export/send-logs.ts";
export {
  deleteDestination,
  deleteDestinationsOf,
  findDestination,
  listDestinations,
} from "./export/store.ts";
export { streamHAR } from "./har.ts";
export { BrowserObserver } from "./observers/browser-observer.ts";
export type { ObservedSession } from "./observers/observed-target.ts";
export { redactURL } from "./redact.ts";
export * from "./schema.ts";
export { SessionTelemetry } from "./session-telemetry.ts";
