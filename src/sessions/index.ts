export type { AddressGrant } from "./access.ts";
export { callSession } from "./api/call-session.ts";
export { cdpRoutes } from "./api/cdp-routes.ts";
export { computerRoutes } from "./api/computer-routes.ts";
export { fileRoutes } from "./api/file-routes.ts";
export { liveViewPageRoutes } from "./api/live-view-page-routes.ts";
export { liveViewRoutes } from "./api/live-view-routes.ts";
export { processRoutes } from "./api/process-routes.ts";
export { revokeURLs } from "./api/revoke-urls.ts";
export { browserSessionRoutes } from "./api/routes.ts";
export {
  browserShape,
  extensionsSchema,
  profileSelectionSchema,
  proxyIdSchema,
  readViewport,
  sessionSchema,
  startURLSchema,
  tagsSchema,
  viewportShape,
} from "./api/schema.ts";
export { type SelectedReferences, selectReferences, touchReferences } from "./api/select-references.ts";
export { presentSessions, presentWithURLs, publicOrigin } from "./api/urls.ts";
export type { EndReason } from "./end-reason.ts";
export { endSessionsOfInvocation, listSessionsOfInvocation } from "./lifecycle/invocation-sessions.ts";
export { launchDelay } from "./lifecycle/launch-delay.ts";
export { StandbyBrowsers } from "./lifecycle/standby-browsers.ts";
export { endOrphanedSessions, sweepSessions } from "./lifecycle/sweep.ts";
export { BrowserSession } from "./object.ts";
export { listPooledSessions } from "./queries.ts";
export { newSessionRow, toSessionStart, toViewportColumns } from "./row.ts";
export { insertPooledSession, leaseSession, returnSession } from "./store.ts";
export { openSessionSocket, sessionObject } from "./stub.ts";
