export { verifyAccessToken } from "./access.ts";
export { ALL_RIGHTS, countedKeys, newAPIKey } from "./api-keys/api-key.ts";
export { type KeyRights, mayCreate } from "./api-keys/rights.ts";
export {
  apiKeyListQuerySchema,
  apiKeyQuerySchema,
  apiKeySchema,
  createAPIKeyBodySchema,
  createdAPIKeySchema,
  presentAPIKey,
  renameAPIKeyBodySchema,
  rotateAPIKeyBodySchema,
} from "./api-keys/schema.ts";
export {
  authenticateCaller,
  authenticateOperator,
  bearerToken,
  findKeyHolder,
  forgetOrganization,
  isOperator,
  isSignedInOperator,
  keyCache,
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
export {
  acceptConsoleSession,
  CONSOLE_HEADER,
  type ConsoleEnv,
  type ConsoleIdentity,
  type ConsoleSession,
  deleteConsoleSession,
  idOf,
  isFromConsole,
  operatorFingerprint,
  readConsoleSession,
  writeConsoleSession,
} from "./console-session.ts";
export { deleteConsoleSessions, listConsoleSessions } from "./console-session-store.ts";
export { limitFailedAuthentications } from "./failed-authentications.ts";
export { answerRefusalsLate } from "./late-refusals.ts";
export { hourOf, readOverview } from "./overview.ts";
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
  projectNotFound,
  sessionChecks,
} from "./projects/limits.ts";
export {
  deleteProject,
  findProject,
  findProjectNames,
  insertProject,
  listProjects,
  type ProjectReach,
  updateProject,
} from "./projects/store.ts";
export {
  fitsStorageQuota,
  insertWithinQuota,
  type Quotas,
  selectStoredBytes,
  storageFull,
} from "./quotas.ts";
export {
  consoleSessionSchema,
  consoleSignInSchema,
  createdOrganizationSchema,
  createOrganizationBodySchema,
  idParamSchema,
  organizationLimitsSchema,
  organizationSchema,
  organizationWithUseSchema,
  overviewSchema,
  presentOrganization,
  presentOrganizationLimits,
  presentOrganizationWithUse,
  presentSettings,
  settingsSchema,
  signInBodySchema,
  updateLimitsBodySchema,
  updateOrganizationBodySchema,
} from "./schema.ts";
export {
  type Budgets,
  changeBudgets,
  deleteOrganization,
  expireReplacedKey,
  findAPIKey,
  findAPIKeyNames,
  findCallerByKey,
  findOrganization,
  findOrganizationWithUse,
  insertOrganization,
  isEnabledOrganization,
  isKnownOrganization,
  isValidKey,
  limitProjects,
  listAPIKeys,
  listOrganizations,
  listOrganizationsWithBudgets,
  updateAPIKey,
  updateOrganization,
} from "./store.ts";
