export { verifyAccessToken } from "./access.ts";
export { ALL_RIGHTS, countedKeys, newAPIKey } from "./api-keys/api-key.ts";
export { type KeyRights, mayCreate } from "./api-keys/rights.ts";
export * from "./api-keys/schema.ts";
export * from "./authentication.ts";
export * from "./caller.ts";
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
export { deleteConsoleSessions, listConsoleSessions, redeemSignInLink } from "./console-session-store.ts";
export { limitFailedAuthentications } from "./failed-authentications.ts";
export { answerRefusalsLate } from "./late-refusals.ts";
export {
  allHold,
  browserLimit,
  budgetCheck,
  type Check,
  explainRefusal,
  invocationLimit,
  keyLimit,
  limitChecks,
  limitReached,
  projectNotFound,
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
  selectLimits,
  selectStoredBytes,
  storageFull,
} from "./quotas.ts";
export * from "./schema.ts";
export { readSignInToken } from "./sign-in-link.ts";
export {
  apiKeyName,
  type Budgets,
  changeBudgets,
  countOverBudget,
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
  limitOf,
  limitProjects,
  listAPIKeys,
  listOrganizations,
  listOrganizationsWithBudgets,
  organizationName,
  statusOf,
  updateAPIKey,
  updateOrganization,
} from "./store.ts";
