export { adminRoutes } from "./admin-routes.ts";
export { apiKeyRoutes } from "./api-keys/routes.ts";
export {
  authenticateCaller,
  authenticateOperator,
  bearerToken,
  isOperator,
} from "./authentication.ts";
export {
  type APIKeyCaller,
  apiKeyOf,
  type Caller,
  type CallerEnv,
  mayControl,
  type Run,
  type RunKeyVerifier,
  requireAPIKey,
} from "./caller.ts";
export { type CallerReach, isWithinReach } from "./caller-reach.ts";
export { acceptConsoleSession } from "./console-session.ts";
export { consoleSessionRoutes } from "./console-session-routes.ts";
export { limitFailedAuthentications } from "./failed-authentications.ts";
export { answerRefusalsLate } from "./late-refusals.ts";
export {
  allHold,
  budgetCheck,
  type Check,
  explainRefusal,
  fitsKeyLimit,
  invocationChecks,
  isWithinBudget,
  limitReached,
  poolChecks,
  sessionChecks,
} from "./projects/limits.ts";
export { projectRoutes } from "./projects/routes.ts";
export { fitsStorageQuota, insertWithinQuota, type Quotas, storageFull, storedBytes } from "./quotas.ts";
export { organizationRoutes } from "./routes.ts";
export { findAPIKey, findAPIKeyNames, findOrganization, isValidKey } from "./store.ts";
