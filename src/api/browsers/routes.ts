import { z } from "@hono/zod-openapi";
import type { HonoRequest } from "hono";
import {
  apiKeyOf,
  type CallerEnv,
  type CallerReach,
  requireAPIKey,
} from "../../features/organizations/index.ts";
import {
  changeSession,
  createSession,
  createSessionBodySchema,
  findLivingSession,
  findSession,
  getSessionQuerySchema,
  idOrNameParamSchema,
  listSessions,
  missingSession,
  persistentIdQuerySchema,
  presentSessions,
  presentWithURLs,
  readIdempotencyKey,
  revokeURLs,
  type SessionFilter,
  type SessionListQuery,
  sessionListQuerySchema,
  sessionObject,
  sessionPageEventSchema,
  sessionSchema,
  updateSessionBodySchema,
} from "../../features/sessions/index.ts";
import { notFound } from "../../lib/common/errors.ts";
import { isIdentifier } from "../../lib/common/identifiers.ts";
import { unwrap } from "../../lib/common/outcome.ts";
import { regionOfRequest } from "../../lib/common/regions.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import { readDeepObject } from "../../lib/http/deep-object.ts";
import { eventStreamResponse, eventsResponse } from "../../lib/http/event-stream-response.ts";
import { textOf } from "../../lib/http/fields.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";
import { MAX_STREAM_MS, watchSessionPages } from "./session-pages.ts";

const route = routesOf("Browser sessions", API_KEY_SECURITY);

export const browserSessionRoutes = newRouter<CallerEnv>();

browserSessionRoutes.openapi(
  route("post", "/browsers", {
    operationId: "createBrowserSession",
    summary: "Create a browser session",
    description: "Launches a browser. The body is optional. An unused session ends after `timeout_seconds`.",
    request: {
      headers: z.object({
        "Idempotency-Key": textOf(
          "Repeated calls with the same key and body return the same session for 24 hours.",
        ).optional(),
      }),
      body: jsonRequest(createSessionBodySchema),
    },
    responses: { 200: jsonResponse(sessionSchema, "The session, ready to use.") },
    errors: [402, 409, 501],
  }),
  async (c) => {
    const creating = createSession(c.env, {
      caller: c.var.caller,
      apiKeyId: apiKeyOf(c.var.caller),
      body: c.req.valid("json"),
      idempotencyKey: readIdempotencyKey(c.req.header("idempotency-key")),
      near: regionOfRequest(c.req.raw),
      disconnected: c.req.raw.signal,
    });
    // The platform cancels the request of a disconnected caller, except for `waitUntil`.
    c.executionCtx.waitUntil(creating.catch(() => undefined));
    const row = await creating;
    c.set("sessionId", row.id);
    return c.json(await presentWithURLs(c.env, c.req, row, c.var.caller), 200);
  },
);

browserSessionRoutes.openapi(
  route("get", "/browsers", {
    operationId: "listBrowserSessions",
    summary: "List browser sessions",
    description: "Newest first.",
    request: { query: sessionListQuerySchema },
    responses: { 200: pageResponse(sessionSchema, "A page of sessions.") },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const filter = toFilter(query, c.req);
    const rows = await listSessions(openDatabase(c.env.DB), c.var.caller, filter, query);
    const { items, headers } = toPage(rows, query);
    return c.json(await presentSessions(c.env, c.req, items, c.var.caller), 200, headers);
  },
);

browserSessionRoutes.openapi(
  route("get", "/org/sessions/stream", {
    operationId: "followListOfBrowserSessions",
    summary: "Follow a list of browser sessions",
    description:
      "Sends a page of the list, as returned by GET /browsers, and again whenever it changes. Its URLs are new each time. The " +
      `stream ends after ${MAX_STREAM_MS / 60_000} minutes, or when the API key is deleted or expires; reconnect to continue.`,
    request: { query: sessionListQuerySchema },
    responses: { 200: eventsResponse(sessionPageEventSchema) },
  }),
  (c) => {
    const query = c.req.valid("query");
    const pages = watchSessionPages(c.env, c.req, requireAPIKey(c.var.caller), toFilter(query, c.req), query);
    return eventStreamResponse(pages);
  },
);

browserSessionRoutes.openapi(
  route("get", "/browsers/{id_or_name}", {
    operationId: "getBrowserSession",
    summary: "Get a browser session",
    description:
      "A name finds the active session with that name. Ended sessions return 404 unless `include_deleted` is set.",
    request: { params: idOrNameParamSchema, query: getSessionQuerySchema },
    responses: { 200: jsonResponse(sessionSchema, "The session.") },
  }),
  async (c) => {
    const row = await requireSession(c.env, c.var.caller, c.req.valid("param").id_or_name, {
      includeEnded: c.req.valid("query").include_deleted,
    });
    c.set("sessionId", row.id);
    return c.json(await presentWithURLs(c.env, c.req, row, c.var.caller), 200);
  },
);

browserSessionRoutes.openapi(
  route("patch", "/browsers/{id_or_name}", {
    operationId: "changeBrowserSession",
    summary: "Change a browser session",
    description:
      "Changes the name, tags, viewport, proxy and profile; all of them or none. A resize returns 409 while somebody is watching " +
      "the live view, unless `force` is set.",
    request: { params: idOrNameParamSchema, body: jsonRequest(updateSessionBodySchema) },
    responses: { 200: jsonResponse(sessionSchema, "The session.") },
    errors: [409, 501],
  }),
  async (c) => {
    const before = await requireSession(c.env, c.var.caller, c.req.valid("param").id_or_name);
    c.set("sessionId", before.id);
    return c.json(
      await presentWithURLs(
        c.env,
        c.req,
        await changeSession(c.env, c.var.caller, before, c.req.valid("json")),
        c.var.caller,
      ),
      200,
    );
  },
);

browserSessionRoutes.openapi(
  route("post", "/browsers/{id_or_name}/revoke_urls", {
    operationId: "revokeSessionURLs",
    summary: "Revoke a session's URLs",
    description:
      "Existing `cdp_ws_url`, `browser_live_view_url` and live view links return 401 from now on, and their connections are " +
      "closed. The response contains new URLs. Deleting an API key also revokes the URLs of the sessions that were created with " +
      "it.",
    request: { params: idOrNameParamSchema },
    responses: { 200: jsonResponse(sessionSchema, "The session with new URLs.") },
  }),
  async (c) => {
    const { caller } = c.var;
    const { id } = await requireSession(c.env, caller, c.req.valid("param").id_or_name);
    c.set("sessionId", id);
    const [row] = await revokeURLs(c.env, caller.organizationId, { sessionId: id });
    if (row === undefined) throw notFound("browser session");
    return c.json(await presentWithURLs(c.env, c.req, row, c.var.caller), 200);
  },
);

browserSessionRoutes.openapi(
  route("delete", "/browsers/{id_or_name}", {
    operationId: "endBrowserSession",
    summary: "End a browser session",
    description:
      "Ends the browser and processes, deletes the files, closes connections, and saves a profile with `save_changes`. Lists " +
      "with `status=deleted` still show the session.",
    request: { params: idOrNameParamSchema },
    responses: { 204: { description: "Ended." } },
  }),
  async (c) => {
    const { caller } = c.var;
    const idOrName = c.req.valid("param").id_or_name;
    // Ending a session by id works without the database.
    if (isIdentifier(idOrName)) {
      c.set("sessionId", idOrName);
      const outcome = await sessionObject(c.env, idOrName).end(caller, "deleted", apiKeyOf(caller));
      if (outcome.ok) return c.body(null, 204);
    }
    const { id } = await requireSession(c.env, caller, idOrName);
    c.set("sessionId", id);
    unwrap(await sessionObject(c.env, id).end(caller, "deleted", apiKeyOf(caller)));
    return c.body(null, 204);
  },
);

browserSessionRoutes.openapi(
  route("delete", "/browsers", {
    deprecated: true,
    operationId: "endPersistentBrowserSession",
    summary: "End a persistent browser session",
    description: "Use DELETE /browsers/{id_or_name}.",
    request: { query: persistentIdQuerySchema },
    responses: { 204: { description: "Ended." } },
  }),
  async (c) => {
    const { caller } = c.var;
    const persistenceId = c.req.valid("query").persistent_id;
    const row = await findLivingSession(openDatabase(c.env.DB), caller, { persistenceId });
    if (row === undefined) throw notFound("browser session");
    c.set("sessionId", row.id);
    unwrap(await sessionObject(c.env, row.id).end(caller, "deleted", apiKeyOf(caller)));
    return c.body(null, 204);
  },
);

function toFilter(query: SessionListQuery, request: HonoRequest): SessionFilter {
  return {
    status: listedStatus(query.status, query.include_deleted),
    query: query.query,
    tags: readDeepObject(request.queries(), "tags"),
    invocationId: query.invocation_id,
    poolId: query.pool_id,
    proxyId: query.proxy_id,
    profileId: query.profile_id,
    apiKeyId: query.api_key_id,
  };
}

/** The deprecated flag only widens `active`. */
function listedStatus(status: "active" | "deleted" | "all" | undefined, includeDeleted: boolean) {
  if (includeDeleted && (status === undefined || status === "active")) return "all";
  return status ?? "active";
}

async function requireSession(
  env: Env,
  caller: CallerReach,
  idOrName: string,
  options = { includeEnded: false },
): Promise<BrowserSessionRow> {
  const row = await findSession(openDatabase(env.DB), caller, idOrName, options);
  if (row === undefined) throw await missingSession(env, caller, idOrName);
  return row;
}
