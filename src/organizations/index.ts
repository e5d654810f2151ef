export { adminRoutes } from "./admin-routes.ts";
export {
  authenticateCaller,
  authenticateOperator,
  bearerToken,
  isOperator,
  refuseProjects,
} from "./authentication.ts";
export {
  type APIKeyCaller,
  apiKeyOf,
  type Caller,
  type CallerEnv,
  type Run,
  type RunKeyVerifier,
  requireAPIKey,
} from "./caller.ts";
export { type CallerReach, isWithinReach } from "./caller-reach.ts";
export { acceptConsoleSession } from "./console-session.ts";
export { consoleSessionRoutes } from "./console-session-routes.ts";
export { limitFailedAuthentications } from "./failed-authentications.ts";
export { fitsStorageQuota, insertWithinQuota, type Quotas, storageFull } from "./quotas.ts";
export { organizationRoutes } from "./routes.ts";
export { findAPIKey, findAPIKeyNames, findOrganization, isValidKey } from "./store.ts";
