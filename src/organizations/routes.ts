import { createRoute, z } from "@hono/zod-openapi";
import { conflict, notFound, ServiceError } from "../common/errors.ts";
import { readSettings } from "../common/settings.ts";
import { openDatabase } from "../database/client.ts";
import { jsonBody } from "../http/json-body.ts";
import { API_KEY_SECURITY, errorResponses, jsonRequest, jsonResponse } from "../http/openapi.ts";
import { pageHeadersSchema, toPage } from "../http/pagination.ts";
import { newRouter } from "../http/router.ts";
import { newAPIKey } from "./api-key.ts";
import { keyCache } from "./authentication.ts";
import { type CallerEnv, requireAPIKey } from "./caller.ts";
import { readOverview } from "./overview.ts";
import { insertWithinQuota } from "./quotas.ts";
import {
  apiKeyListQuerySchema,
  apiKeyQuerySchema,
  apiKeySchema,
  createAPIKeyBodySchema,
  createdAPIKeySchema,
  idParamSchema,
  organizationLimitsSchema,
  overviewSchema,
  presentAPIKey,
  renameAPIKeyBodySchema,
  rotateAPIKeyBodySchema,
} from "./schema.ts";
import {
  expireReplacedKey,
  findAPIKey,
  findOrganization,
  isValidKey,
  listAPIKeys,
  updateAPIKey,
} from "./store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const tags = ["Organization"];
const security = API_KEY_SECURITY;

export const organizationRoutes = newRouter<CallerEnv>();

organizationRoutes.openapi(
  createRoute({
    method: "post",
    path: "/org/api_keys",
    tags,
    security,
    summary: "Create an API key",
    description:
      "The key has the same rights as the key of this call. 429 when the organization has reached its limit of keys.",
    middleware: jsonBody,
    request: { body: jsonRequest(createAPIKeyBodySchema) },
    responses: {
      200: jsonResponse(createdAPIKeySchema, "The key, shown this once."),
      ...errorResponses(400, 404, 429),
    },
  }),
  async (c) => {
    const { name, days_to_expire, project_id } = c.req.valid("json");
    if (project_id != null)
      throw new ServiceError("project_not_found", "project_id: this service has no projects");
    const now = Date.now();
    const { organizationId, keyId } = requireAPIKey(c.var.caller);
    const expiresAt = days_to_expire == null ? null : now + days_to_expire * DAY_MS;
    const { key, row } = await newAPIKey({ organizationId, name, createdBy: keyId, expiresAt }, now);
    await insertWithinQuota(openDatabase(c.env.DB), "apiKeys", row, readSettings(c.env).quotas);
    return c.json({ ...presentAPIKey(row), key }, 200);
  },
);

organizationRoutes.openapi(
  createRoute({
    method: "get",
    path: "/org/api_keys",
    tags,
    security,
    summary: "List API keys",
    description: "Newest first, unless sorted otherwise. Keys are masked.",
    request: { query: apiKeyListQuerySchema },
    responses: {
      200: { ...jsonResponse(z.array(apiKeySchema), "A page of keys."), headers: pageHeadersSchema },
      ...errorResponses(400),
    },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const filter = {
      status: query.status ?? (query.include_deleted ? "all" : "active"),
      name: query.name,
      query: query.query,
      sortBy: query.sort_by,
      sortDirection: query.sort_direction,
    };
    const rows = await listAPIKeys(openDatabase(c.env.DB), c.var.caller.organizationId, filter, query);
    const { items, headers } = toPage(rows, query);
    return c.json(items.map(presentAPIKey), 200, headers);
  },
);

organizationRoutes.openapi(
  createRoute({
    method: "get",
    path: "/org/api_keys/{id}",
    tags,
    security,
    summary: "Get an API key",
    description: "The key is masked. A deleted key is found only with `include_deleted`.",
    request: { params: idParamSchema, query: apiKeyQuerySchema },
    responses: { 200: jsonResponse(apiKeySchema, "The key, masked."), ...errorResponses(400, 404) },
  }),
  async (c) => {
    const row = await findAPIKey(
      openDatabase(c.env.DB),
      c.var.caller.organizationId,
      c.req.valid("param").id,
      {
        includeDeleted: c.req.valid("query").include_deleted,
      },
    );
    if (row === undefined) throw notFound("API key");
    return c.json(presentAPIKey(row), 200);
  },
);

organizationRoutes.openapi(
  createRoute({
    method: "patch",
    path: "/org/api_keys/{id}",
    tags,
    security,
    summary: "Rename an API key",
    description: "The key itself stays the same. A deleted key answers 404.",
    middleware: jsonBody,
    request: { params: idParamSchema, body: jsonRequest(renameAPIKeyBodySchema) },
    responses: { 200: jsonResponse(apiKeySchema, "The key, masked."), ...errorResponses(400, 404) },
  }),
  async (c) => {
    const { name } = c.req.valid("json");
    const { organizationId } = c.var.caller;
    const row = await updateAPIKey(openDatabase(c.env.DB), organizationId, c.req.valid("param").id, { name });
    if (row === undefined) throw notFound("API key");
    keyCache.deleteKey(row);
    return c.json(presentAPIKey(row), 200);
  },
);

organizationRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/org/api_keys/{id}",
    tags,
    security,
    summary: "Delete an API key",
    description: "The key stops working at once, and within 30 seconds at other locations.",
    request: { params: idParamSchema },
    responses: { 204: { description: "Deleted." }, ...errorResponses(400, 404) },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { organizationId, keyId } = requireAPIKey(c.var.caller);
    if (id === keyId) throw new ServiceError("cannot_delete_current_key", "This call was made with that key");
    const row = await updateAPIKey(openDatabase(c.env.DB), organizationId, id, { deletedAt: Date.now() });
    if (row === undefined) throw notFound("API key");
    keyCache.deleteKey(row);
    return c.body(null, 204);
  },
);

organizationRoutes.openapi(
  createRoute({
    method: "post",
    path: "/org/api_keys/{id}/rotate",
    tags,
    security,
    summary: "Rotate an API key",
    description: "Creates a key of the same name. The old key stays valid for `expire_in_days`.",
    middleware: jsonBody,
    request: { params: idParamSchema, body: jsonRequest(rotateAPIKeyBodySchema) },
    responses: {
      200: jsonResponse(createdAPIKeySchema, "The new key, shown this once."),
      ...errorResponses(400, 404, 409, 429),
    },
  }),
  async (c) => {
    const { days_to_expire, expire_in_days } = c.req.valid("json");
    const { organizationId, keyId } = requireAPIKey(c.var.caller);
    const database = openDatabase(c.env.DB);
    const old = await findAPIKey(database, organizationId, c.req.valid("param").id, {
      includeDeleted: false,
    });
    if (old === undefined) throw notFound("API key");
    const now = Date.now();
    if (old.expiresAt !== null && old.expiresAt <= now) throw conflict("This API key has expired");
    const expiresAt = rotatedExpiry(old, days_to_expire, now);
    const { key, row } = await newAPIKey(
      { organizationId, name: old.name, createdBy: keyId, expiresAt },
      now,
    );
    const quotas = readSettings(c.env).quotas;
    // An old key that expires at once makes room for the new one.
    const freed = expire_in_days === 0 ? 1 : 0;
    const replacement = { expiresAt: now + expire_in_days * DAY_MS, replacementId: row.id };
    const isRotated = await insertWithinQuota(
      database,
      "apiKeys",
      row,
      { ...quotas, apiKeys: quotas.apiKeys + freed },
      { condition: isValidKey(old, now), extraStatements: [expireReplacedKey(database, old, replacement)] },
    );
    if (!isRotated) throw conflict("This API key has expired");
    keyCache.deleteKey(old);
    return c.json({ ...presentAPIKey(row), key }, 200);
  },
);

organizationRoutes.openapi(
  createRoute({
    method: "get",
    path: "/org/limits",
    tags,
    security,
    summary: "Get the organization's limits",
    description: "The organization's own limits, or the service's defaults.",
    responses: { 200: jsonResponse(organizationLimitsSchema, "The effective limits."), ...errorResponses() },
  }),
  async (c) => {
    const organization = await findOrganization(openDatabase(c.env.DB), c.var.caller.organizationId);
    if (organization === undefined) throw notFound("organization");
    const settings = readSettings(c.env);
    const limits = {
      max_concurrent_sessions: organization.maxConcurrentSessions ?? settings.maxConcurrentSessions,
      max_pooled_sessions: organization.maxPooledSessions ?? settings.maxPooledSessions,
      default_project_max_concurrent_sessions: null,
    };
    return c.json(limits, 200);
  },
);

organizationRoutes.openapi(
  createRoute({
    method: "get",
    path: "/org/overview",
    tags,
    security,
    summary: "Get an overview of the organization",
    description: "What is in use of its limits, and what happened in the last 24 hours.",
    responses: { 200: jsonResponse(overviewSchema, "The overview."), ...errorResponses() },
  }),
  async (c) => {
    const { organizationId } = c.var.caller;
    const database = openDatabase(c.env.DB);
    return c.json(await readOverview(database, organizationId, readSettings(c.env), Date.now()), 200);
  },
);

function rotatedExpiry(
  old: { createdAt: number; expiresAt: number | null },
  days: number | null | undefined,
  now: number,
): number | null {
  if (days === null) return null;
  if (days !== undefined) return now + days * DAY_MS;
  return old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt);
}
