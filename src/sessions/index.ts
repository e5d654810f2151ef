// Routes of the API, for the app.
export { adminSessionRoutes } from "./api/admin-routes.ts";
export { cdpRoutes } from "./api/cdp-routes.ts";
export { computerRoutes } from "./api/computer-routes.ts";
export { fileRoutes } from "./api/file-routes.ts";
export { handoffRoutes } from "./api/handoff-routes.ts";
export { liveViewPageRoutes } from "./api/live-view-page-routes.ts";
export { liveViewRoutes } from "./api/live-view-routes.ts";
export { processRoutes } from "./api/process-routes.ts";
export { recordCalls } from "./api/record-calls.ts";
export { replayPageRoutes } from "./api/replay-page-routes.ts";
export { replayRoutes } from "./api/replay-routes.ts";
export { browserSessionRoutes } from "./api/routes.ts";
export { telemetryRoutes } from "./api/telemetry-routes.ts";
export { bidiRoutes, webDriverRoutes } from "./api/webdriver-routes.ts";

// Durable Objects and the scheduled sweep, for the Worker.
export { endOrphanedSessions, sweepSessions } from "./lifecycle/sweep.ts";
export { BrowserSession } from "./object.ts";
export { OutgoingCalls } from "./outgoing-calls.ts";

// Schemas and rows that pooled sessions share, for browser pools.
export { revokeURLs } from "./api/revoke-urls.ts";
export {
  browserShape,
  extensionsSchema,
  parseViewport,
  profileSelectionSchema,
  proxyIdSchema,
  recordSchema,
  regionSchema,
  startURLSchema,
  tagsSchema,
  viewportShape,
} from "./api/schema.ts";
export { sessionSchema } from "./api/session-schema.ts";
export { type SelectedReferences, selectReferences, touchReferences } from "./api/select-references.ts";
export { listPooledSessions } from "./queries.ts";
export { requireRecordable } from "./require-recordable.ts";
export { emitSessionCreated, emitSessionEnded } from "./session-events.ts";
export { newSessionRow, toSessionStart, toViewportColumns } from "./row.ts";
export { insertPooledSession, leaseSession, returnSession } from "./store.ts";

// Creating and finding sessions, for connect URLs.
export { readDevTools } from "./api/cdp-routes.ts";
export { createSession } from "./api/create-session.ts";
export { type CreateSessionBody, createSessionBodySchema } from "./api/schema.ts";
export { findLivingSession, findSession } from "./queries.ts";

// Sessions of invocations, for apps.
export { endSessionsOfInvocation, listSessionsOfInvocation } from "./lifecycle/invocation-sessions.ts";

// A session and its representation, for every caller.
export { computerActionSchemas, screenshotSchema } from "./api/computer-schema.ts";
export { callSession } from "./api/call-session.ts";
export { presentSessions, presentWithURLs, publicOrigin, toWebSocketOrigin } from "./api/urls.ts";
export type { EndReason } from "./end-reason.ts";
export type { AddressGrant } from "./require-access.ts";
export { openSessionSocket, sessionObject } from "./stub.ts";
