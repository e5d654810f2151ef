import type { CallerEnv } from "../../features/organizations/index.ts";
import {
  checkProxy,
  checkProxyBodySchema,
  checkReachability,
  createProxy,
  createProxyBodySchema,
  findProxy,
  listChecks,
  listProxies,
  markProxyDeleted,
  presentProxy,
  presentProxyCheck,
  proxyCheckSchema,
  proxyListQuerySchema,
  proxyParamSchema,
  proxySchema,
  recordHealth,
  renameProxy,
  renameProxyBodySchema,
} from "../../features/proxies/index.ts";
import { notFound, requireFound } from "../../lib/common/errors.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { ProxyRow } from "../../lib/database/schema/proxies.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { pageQuerySchema, pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";

const route = routesOf("Proxies", API_KEY_SECURITY);

export const proxyRoutes = newRouter<CallerEnv>();

proxyRoutes.openapi(
  route("post", "/proxies", {
    operationId: "createProxy",
    summary: "Create a proxy",
    description:
      "It is checked before the response, and created even if the check fails. Types other than `custom` use an upstream " +
      "of the operator; without one they are `unavailable` and cannot be selected.",
    request: { body: jsonRequest(createProxyBodySchema) },
    responses: { 201: jsonResponse(proxySchema, "The proxy.") },
  }),
  async (c) => {
    const row = await createProxy(c.env, c.var.caller, c.req.valid("json"));
    return c.json(presentProxy(row), 201);
  },
);

proxyRoutes.openapi(
  route("get", "/proxies", {
    operationId: "listProxies",
    summary: "List proxies",
    description: "Newest first.",
    request: { query: proxyListQuerySchema },
    responses: { 200: pageResponse(proxySchema, "A page of proxies.") },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const rows = await listProxies(openDatabase(c.env.DB), c.var.caller, query, query);
    const { items, headers } = toPage(rows, query);
    return c.json(items.map(presentProxy), 200, headers);
  },
);

proxyRoutes.openapi(
  route("get", "/proxies/{id}", {
    operationId: "getProxy",
    summary: "Get a proxy",
    description: "`status` is the result of the last check. The password is never shown.",
    request: { params: proxyParamSchema },
    responses: { 200: jsonResponse(proxySchema, "The proxy.") },
  }),
  async (c) => {
    const row = await requireOwnProxy(c.env, c.var.caller, c.req.valid("param").id);
    return c.json(presentProxy(row), 200);
  },
);

proxyRoutes.openapi(
  route("patch", "/proxies/{id}", {
    operationId: "renameProxy",
    summary: "Rename a proxy",
    description: "Only the name can be changed. Running sessions keep the proxy.",
    request: { params: proxyParamSchema, body: jsonRequest(renameProxyBodySchema) },
    responses: { 200: jsonResponse(proxySchema, "The proxy.") },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { name } = c.req.valid("json");
    const row = requireFound(await renameProxy(openDatabase(c.env.DB), c.var.caller, id, name), "proxy");
    return c.json(presentProxy(row), 200);
  },
);

proxyRoutes.openapi(
  route("delete", "/proxies/{id}", {
    operationId: "deleteProxy",
    summary: "Delete a proxy",
    description: "Running sessions keep it. New sessions and pools that select it fail.",
    request: { params: proxyParamSchema },
    responses: { 204: { description: "Deleted." } },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    if (!(await markProxyDeleted(openDatabase(c.env.DB), c.var.caller, id, Date.now()))) {
      throw notFound("proxy");
    }
    return c.body(null, 204);
  },
);

proxyRoutes.openapi(
  route("post", "/proxies/{id}/check", {
    operationId: "checkProxy",
    summary: "Check a proxy",
    description:
      "Makes a request through it. With `url`, `status` of the response says whether it can reach that URL.",
    request: { params: proxyParamSchema, body: jsonRequest(checkProxyBodySchema) },
    responses: { 200: jsonResponse(proxySchema, "The proxy.") },
  }),
  async (c) => {
    const row = await requireOwnProxy(c.env, c.var.caller, c.req.valid("param").id);
    const { url } = c.req.valid("json");
    if (url !== undefined) {
      const status = await checkReachability(c.env, row, url);
      return c.json(presentProxy({ ...row, status }), 200);
    }
    const checked = await recordHealth(openDatabase(c.env.DB), row.id, await checkProxy(c.env, row));
    if (checked === undefined) throw notFound("proxy");
    return c.json(presentProxy(checked), 200);
  },
);

proxyRoutes.openapi(
  route("get", "/proxies/{id}/checks", {
    operationId: "listProxyChecks",
    summary: "List a proxy's checks",
    description: "Newest first; the last 200 are kept. Checks with a `url` are not listed.",
    request: { params: proxyParamSchema, query: pageQuerySchema },
    responses: { 200: pageResponse(proxyCheckSchema, "A page of checks.") },
  }),
  async (c) => {
    const page = c.req.valid("query");
    const { id } = await requireOwnProxy(c.env, c.var.caller, c.req.valid("param").id);
    const { items, headers } = toPage(await listChecks(openDatabase(c.env.DB), id, page), page);
    return c.json(items.map(presentProxyCheck), 200, headers);
  },
);

/** @throws ServiceError 404 when the organization has no such proxy. */
async function requireOwnProxy(env: Env, scope: ProjectScope, id: string): Promise<ProxyRow> {
  return requireFound(await findProxy(openDatabase(env.DB), scope, id), "proxy");
}
