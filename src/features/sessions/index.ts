// Durable Objects and the scheduled sweep, for the Worker.
export { endOrphanedSessions, sweepSessions } from "./lifecycle/sweep.ts";
export { BrowserSession } from "./object.ts";
export { OutgoingCalls } from "./outgoing-calls.ts";

// Schemas and rows that pooled sessions share, for browser pools.
export { revokeURLs } from "./requests/revoke-urls.ts";
export * from "./schema.ts";
export { type SessionPageEvent, sessionPageEventSchema, sessionSchema } from "./session-schema.ts";
export { selectMachine } from "./requests/select-machine.ts";
export { type SelectedReferences, selectReferences, touchReferences } from "./requests/select-references.ts";
export {
  countRecentSessions,
  findOwners,
  listAllSessions,
  listPooledSessions,
  listSessions,
  type SessionFilter,
  type SessionForOperator,
  watchSessions,
} from "./queries.ts";
export { requireRecordable } from "./require-recordable.ts";
export { emitSessionCreated, emitSessionEnded } from "./session-events.ts";
export {
  presentOptions,
  toChangedOptionColumns,
  toOptionColumns,
  toViewportColumns,
} from "./options.ts";
export { newSessionRow, toSessionStart } from "./row.ts";
export { countLiving, countOfPool } from "./conditions.ts";
export { poolChecks } from "./limits.ts";
export { insertPooledSession, leaseSession, renamePool, returnSession } from "./store.ts";

// Creating and finding sessions, for connect URLs.
export { createSession } from "./requests/create-session.ts";
export { findLivingSession, findSession } from "./queries.ts";

// Sessions of invocations, for apps.
export { endSessionsOfInvocation, listSessionsOfInvocation } from "./lifecycle/invocation-sessions.ts";

// A session and its representation, for every caller.
export { callSession, type SessionReference } from "./requests/call-session.ts";
export * from "./requests/urls.ts";
export { describeEnd, type EndReason } from "./end-reason.ts";
export { type AddressGrant, REVOKED } from "./require-access.ts";
export { openSessionSocket, sessionObject } from "./stub.ts";

// What the routes of the API need besides.
export { listPendingHandoffs } from "./queries.ts";
export type { HandoffCall } from "./connections/handoffs.ts";
export * from "./handoff-schema.ts";
export { screenshotKey } from "./lifecycle/archive-session.ts";
export { endSessionForOperator } from "./lifecycle/end-session.ts";
export { missingSession } from "./missing-session.ts";
export { callMachine, findMachine } from "./requests/call-machine.ts";
export { changeSession } from "./requests/change-session.ts";
export { readIdempotencyKey } from "./requests/idempotency.ts";
export { readEvents } from "./requests/read-events.ts";
export { readURLGeneration } from "./requests/read-url-generation.ts";
export { type TokenScope, urlTokens } from "./requests/url-token.ts";
export { NO_ANSWER } from "./sockets.ts";
