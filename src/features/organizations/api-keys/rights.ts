import type { APIKeyRow, KeyAccess } from "../../../lib/database/schema/organizations.ts";

/** What an API key may do. Null: not limited. */
export type KeyRights = Pick<
  APIKeyRow,
  "projectId" | "access" | "maxConcurrentSessions" | "requestsPerMinute"
>;

/** Operations of keys with access to sessions only. */
const OF_SESSIONS = [
  /^\S+ \/browsers(\/|$)/,
  /^GET \/browser_pools(\/:id_or_name)?$/,
  /^POST \/browser_pools\/:id_or_name\/(acquire|release)$/,
  /^GET \/org\/(recordings|sessions\/stream)$/,
  // Its tools call the other operations with the same key.
  /^\S+ \/mcp$/,
];

/** Reading operations that return cookies. */
const SECRETS = /^GET \/profiles\/:id_or_name\/(contents|download)$/;

/** Operations that concern all projects of an organization, which the key of one project cannot use. */
const OF_ORGANIZATION = [
  /^(?!GET )\S+ \/org\/limits$/,
  /^(POST|DELETE) \/org\/projects(\/|$)/,
  /^PATCH \/org\/projects\/:id\/limits$/,
  /^\S+ \/org\/(?!api_keys|limits|projects|recordings|sessions)/,
  /^\S+ \/audit-logs(\/|$)/,
];

/** @param operation method and pattern of a route, such as `GET /browsers/:id`. */
export function isAllowed({ access, projectId }: KeyRights, operation: string): boolean {
  const matches = (pattern: RegExp) => pattern.test(operation);
  if (projectId !== null && OF_ORGANIZATION.some(matches)) return false;
  const rules: Record<KeyAccess, () => boolean> = {
    full: () => true,
    sessions: () => OF_SESSIONS.some(matches),
    read: () => operation.startsWith("GET ") && !matches(SECRETS),
  };
  return rules[access]();
}

/** Whether a key may create another one. Otherwise it could get around its own limits by creating keys. */
export function mayCreate(own: KeyRights, wanted: KeyRights): boolean {
  return (
    own.maxConcurrentSessions === null &&
    own.requestsPerMinute === null &&
    (own.projectId === null || own.projectId === wanted.projectId) &&
    (own.access === "full" || own.access === wanted.access)
  );
}
