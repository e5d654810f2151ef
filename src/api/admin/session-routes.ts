import { z } from "@hono/zod-openapi";
import { endSessionForOperator, listAllSessions } from "../../features/sessions/index.ts";
import { notFound, serviceUnavailable } from "../../lib/common/errors.ts";
import { logEvent } from "../../lib/common/log.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { jsonResponse, OPERATOR_SECURITY, routesOf } from "../../lib/http/openapi.ts";
import { pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";
import { listAllBrowsers, listOwnBrowsers } from "../../platform/broker/index.ts";
import { BrowserUnavailableError } from "../../platform/browser/index.ts";
import {
  adminBrowserSchema,
  adminSessionListQuerySchema,
  adminSessionParamSchema,
  adminSessionSchema,
  presentAdminSession,
  presentBrowser,
} from "./session-schema.ts";

const route = routesOf("Operator", OPERATOR_SECURITY);

export const adminSessionRoutes = newRouter<{ Bindings: Env }>();

adminSessionRoutes.openapi(
  route("get", "/admin/sessions", {
    operationId: "listAllSessions",
    summary: "List all sessions",
    description:
      "Sessions of all organizations, newest first, including those that are starting or idle in a pool. The response has no " +
      "URLs: the operator gets no access to the browsers of organizations.",
    request: { query: adminSessionListQuerySchema },
    responses: { 200: pageResponse(adminSessionSchema, "A page of sessions.") },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const { status, organization_id: organizationId } = query;
    const filter = { status, organizationId, query: query.query };
    const rows = await listAllSessions(openDatabase(c.env.DB), filter, query);
    const { items, headers } = toPage(rows, query);
    return c.json(items.map(presentAdminSession), 200, headers);
  },
);

adminSessionRoutes.openapi(
  route("delete", "/admin/sessions/{id}", {
    operationId: "endAnySession",
    summary: "End any session",
    description:
      "As if its organization had ended it; `end_details` says that the operator did. If it belongs to a pool, the pool replaces its browser.",
    request: { params: adminSessionParamSchema },
    responses: { 204: { description: "Ended." } },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    if (!(await endSessionForOperator(c.env, id))) throw notFound("browser session");
    logEvent("session_ended_by_operator", { session_id: id });
    return c.body(null, 204);
  },
);

adminSessionRoutes.openapi(
  route("get", "/admin/browsers", {
    operationId: "listAccountBrowsers",
    summary: "List the account's browsers",
    description:
      "All browsers that the platform runs in the account and in those of BROWSER_ACCOUNTS, newest first, including those that " +
      "other services launched. The platform's list may lag by a few seconds.",
    responses: { 200: jsonResponse(z.array(adminBrowserSchema), "All browsers of the account.") },
  }),
  async (c) => {
    const [browsers, owners] = await Promise.all([listPlatformBrowsers(c.env), listOwnBrowsers(c.env)]);
    const listed = [...browsers].map(([id, startedAt]) => presentBrowser(id, startedAt, owners.get(id)));
    listed.sort((a, b) => (b.started_at ?? "").localeCompare(a.started_at ?? ""));
    return c.json(listed, 200);
  },
);

/** @throws ServiceError 503 when the platform does not answer. */
async function listPlatformBrowsers(env: Env): Promise<Map<string, number | undefined>> {
  try {
    return (await listAllBrowsers(env)).browsers;
  } catch (error) {
    if (!(error instanceof BrowserUnavailableError)) throw error;
    throw serviceUnavailable(error.message, error.retryAfterSeconds, error);
  }
}
