import {
  type APIKeyCaller,
  apiKeyListQuerySchema,
  apiKeyQuerySchema,
  apiKeySchema,
  type CallerEnv,
  countedKeys,
  createAPIKeyBodySchema,
  createdAPIKeySchema,
  expireReplacedKey,
  findAPIKey,
  findProject,
  findProjectNames,
  idParamSchema,
  insertWithinQuota,
  isValidKey,
  type KeyRights,
  keyCache,
  listAPIKeys,
  mayCreate,
  newAPIKey,
  presentAPIKey,
  projectNotFound,
  renameAPIKeyBodySchema,
  requireAPIKey,
  rotateAPIKeyBodySchema,
  updateAPIKey,
} from "../../features/organizations/index.ts";
import { revokeURLs } from "../../features/sessions/index.ts";
import { conflict, notFound, requireFound, ServiceError } from "../../lib/common/errors.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { type Database, openDatabase } from "../../lib/database/client.ts";
import type { APIKeyRow } from "../../lib/database/schema/organizations.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const route = routesOf("Organization", API_KEY_SECURITY);

export const apiKeyRoutes = newRouter<CallerEnv>();

apiKeyRoutes.openapi(
  route("post", "/org/api_keys", {
    operationId: "createAPIKey",
    summary: "Create an API key",
    description:
      "It has at most the rights of the calling key, which must have no limits of its own (otherwise 403). 429 when the organization " +
      "has reached its limit of keys.",
    request: { body: jsonRequest(createAPIKeyBodySchema) },
    responses: { 200: jsonResponse(createdAPIKeySchema, "The key, shown this once.") },
  }),
  async (c) => {
    const { name, days_to_expire, project_id, access, ...limits } = c.req.valid("json");
    const now = Date.now();
    const caller = requireAPIKey(c.var.caller);
    const { organizationId, keyId, rights } = caller;
    const wanted = {
      projectId: project_id ?? rights.projectId,
      access,
      maxConcurrentSessions: limits.max_concurrent_sessions ?? null,
      requestsPerMinute: limits.requests_per_minute ?? null,
    };
    requireMayCreate(caller, wanted);
    const database = openDatabase(c.env.DB);
    if (project_id != null) {
      const project = await findProject(database, { organizationId }, project_id, { isId: true });
      if (project?.status !== "active") throw projectNotFound();
    }
    const expiresAt = days_to_expire == null ? null : now + days_to_expire * DAY_MS;
    const details = { ...wanted, organizationId, name, createdBy: keyId, expiresAt };
    const { key, row } = await newAPIKey(details, now);
    await insertWithinQuota(database, countedKeys(now), row, readSettings(c.env).quotas);
    return c.json({ ...(await present(database, row)), key }, 200);
  },
);

apiKeyRoutes.openapi(
  route("get", "/org/api_keys", {
    operationId: "listAPIKeys",
    summary: "List API keys",
    description: "Newest first, unless sorted otherwise. Keys are masked.",
    request: { query: apiKeyListQuerySchema },
    responses: { 200: pageResponse(apiKeySchema, "A page of keys.") },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const database = openDatabase(c.env.DB);
    const rows = await listAPIKeys(database, requireAPIKey(c.var.caller), query);
    const { items, headers } = toPage(rows, query);
    const names = await findProjectNames(database, items);
    return c.json(
      items.map((row) => presentAPIKey(row, names)),
      200,
      headers,
    );
  },
);

apiKeyRoutes.openapi(
  route("get", "/org/api_keys/{id}", {
    operationId: "getAPIKey",
    summary: "Get an API key",
    description: "The key is masked. A deleted key is found only with `include_deleted`.",
    request: { params: idParamSchema, query: apiKeyQuerySchema },
    responses: { 200: jsonResponse(apiKeySchema, "The key, masked.") },
  }),
  async (c) => {
    const database = openDatabase(c.env.DB);
    const row = await findAPIKey(database, requireAPIKey(c.var.caller), c.req.valid("param").id, {
      includeDeleted: c.req.valid("query").include_deleted,
    });
    if (row === undefined) throw notFound("API key");
    return c.json(await present(database, row), 200);
  },
);

apiKeyRoutes.openapi(
  route("patch", "/org/api_keys/{id}", {
    operationId: "renameAPIKey",
    summary: "Rename an API key",
    description: "The key itself stays the same. A deleted key returns 404.",
    request: { params: idParamSchema, body: jsonRequest(renameAPIKeyBodySchema) },
    responses: { 200: jsonResponse(apiKeySchema, "The key, masked.") },
  }),
  async (c) => {
    const row = await change(
      c.env,
      requireAPIKey(c.var.caller),
      c.req.valid("param").id,
      c.req.valid("json"),
    );
    return c.json(await present(openDatabase(c.env.DB), row), 200);
  },
);

apiKeyRoutes.openapi(
  route("delete", "/org/api_keys/{id}", {
    operationId: "deleteAPIKey",
    summary: "Delete an API key",
    description: "The key stops working at once, and within 30 seconds at other locations.",
    request: { params: idParamSchema },
    responses: { 204: { description: "Deleted." } },
    errors: [400],
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const caller = requireAPIKey(c.var.caller);
    if (id === caller.keyId)
      throw new ServiceError("cannot_delete_current_key", "This call was made with that key");
    // Connections made with a leaked key must end before the key is deleted.
    if ((await findAPIKey(openDatabase(c.env.DB), caller, id)) !== undefined) {
      await revokeURLs(c.env, caller.organizationId, { apiKeyId: id });
    }
    await change(c.env, caller, id, { deletedAt: Date.now() });
    return c.body(null, 204);
  },
);

apiKeyRoutes.openapi(
  route("post", "/org/api_keys/{id}/rotate", {
    operationId: "rotateAPIKey",
    summary: "Rotate an API key",
    description:
      "Creates a key with the same name and rights, which the calling key must have. The old key stays valid for `expire_in_days`.",
    request: { params: idParamSchema, body: jsonRequest(rotateAPIKeyBodySchema) },
    responses: { 200: jsonResponse(createdAPIKeySchema, "The new key, shown this once.") },
    errors: [409],
  }),
  async (c) => {
    const { days_to_expire, expire_in_days } = c.req.valid("json");
    const caller = requireAPIKey(c.var.caller);
    const database = openDatabase(c.env.DB);
    const old = requireFound(await findAPIKey(database, caller, c.req.valid("param").id), "API key");
    requireMayCreate(caller, old);
    const now = Date.now();
    if (old.expiresAt !== null && old.expiresAt <= now) throw conflict("This API key has expired");
    const expiresAt = rotatedExpiry(old, days_to_expire, now);
    const { key, row } = await newAPIKey({ ...old, createdBy: caller.keyId, expiresAt }, now);
    const quotas = readSettings(c.env).quotas;
    // An old key that expires at once makes room for the new one.
    const freed = expire_in_days === 0 ? 1 : 0;
    const replacement = { expiresAt: now + expire_in_days * DAY_MS, replacementId: row.id };
    const isRotated = await insertWithinQuota(
      database,
      countedKeys(now),
      row,
      { ...quotas, apiKeys: quotas.apiKeys + freed },
      { condition: isValidKey(old, now), extraStatements: [expireReplacedKey(database, old, replacement)] },
    );
    if (!isRotated) throw conflict("This API key has expired");
    keyCache.deleteKey(old);
    return c.json({ ...(await present(database, row)), key }, 200);
  },
);

/** @throws ServiceError 403 */
function requireMayCreate({ rights }: APIKeyCaller, wanted: KeyRights): void {
  if (mayCreate(rights, wanted)) return;
  throw new ServiceError(
    "forbidden",
    "A key with limits creates no keys, and others only keys with rights of their own",
  );
}

/** @throws ServiceError 404 */
async function change(
  env: Env,
  caller: APIKeyCaller,
  id: string,
  change: Parameters<typeof updateAPIKey>[3],
): Promise<APIKeyRow> {
  const row = requireFound(await updateAPIKey(openDatabase(env.DB), caller, id, change), "API key");
  keyCache.deleteKey(row);
  return row;
}

async function present(database: Database, row: APIKeyRow) {
  return presentAPIKey(row, await findProjectNames(database, [row]));
}

function rotatedExpiry(old: APIKeyRow, days: number | null | undefined, now: number): number | null {
  if (days === null) return null;
  if (days !== undefined) return now + days * DAY_MS;
  return old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt);
}
