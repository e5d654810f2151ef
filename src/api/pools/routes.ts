import {
  acquireBodySchema,
  acquireFromPool,
  acquireHeadersSchema,
  type CountedPool,
  callPool,
  createPool,
  createPoolBodySchema,
  deletePoolBodySchema,
  findPool,
  listPools,
  poolListQuerySchema,
  poolObject,
  poolParamSchema,
  poolSchema,
  presentPool,
  releaseBodySchema,
  toConfigurationChange,
  updatePoolBodySchema,
} from "../../features/browser-pools/index.ts";
import type { CallerEnv } from "../../features/organizations/index.ts";
import {
  presentWithURLs,
  selectMachine,
  selectReferences,
  sessionSchema,
} from "../../features/sessions/index.ts";
import { requireFound } from "../../lib/common/errors.ts";
import { regionOfRequest } from "../../lib/common/regions.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";

const route = routesOf("Browser pools", API_KEY_SECURITY);

export const browserPoolRoutes = newRouter<CallerEnv>();

browserPoolRoutes.openapi(
  route("post", "/browser_pools", {
    operationId: "createBrowserPool",
    summary: "Create a browser pool",
    description: "The pool launches one browser at once and the others at its fill rate.",
    request: { body: jsonRequest(createPoolBodySchema) },
    responses: { 200: jsonResponse(poolSchema, "The pool.") },
    errors: [409, 501],
  }),
  async (c) => {
    const pool = await createPool(c.env, c.var.caller, c.req.valid("json"), regionOfRequest(c.req.raw));
    return c.json(presentPool({ ...pool, available: 0, acquired: 0 }), 200);
  },
);

browserPoolRoutes.openapi(
  route("get", "/browser_pools", {
    operationId: "listBrowserPools",
    summary: "List browser pools",
    description: "Newest first.",
    request: { query: poolListQuerySchema },
    responses: { 200: pageResponse(poolSchema, "The pools.") },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const rows = await listPools(openDatabase(c.env.DB), c.var.caller, query, query);
    const { limit = rows.length, offset } = query;
    const { items, headers } = toPage(rows, { limit, offset });
    return c.json(items.map(presentPool), 200, headers);
  },
);

browserPoolRoutes.openapi(
  route("get", "/browser_pools/{id_or_name}", {
    operationId: "getBrowserPool",
    summary: "Get a browser pool",
    description:
      "`available_count` and `acquired_count` are current values; another caller may acquire an available browser at any " +
      "time.",
    request: { params: poolParamSchema },
    responses: { 200: jsonResponse(poolSchema, "The pool.") },
  }),
  async (c) => {
    const { id_or_name } = c.req.valid("param");
    return c.json(presentPool(await requirePool(c.env, c.var.caller, id_or_name)), 200);
  },
);

browserPoolRoutes.openapi(
  route("patch", "/browser_pools/{id_or_name}", {
    operationId: "changeBrowserPool",
    summary: "Change a browser pool",
    description:
      "Applies to browsers launched from now on; telemetry and record apply to leases from now on. A smaller size ends idle browsers at once, and leased ones when they " +
      "are released.",
    request: { params: poolParamSchema, body: jsonRequest(updatePoolBodySchema) },
    responses: { 200: jsonResponse(poolSchema, "The pool.") },
    errors: [409, 501],
  }),
  async (c) => {
    const idOrName = c.req.valid("param").id_or_name;
    const body = c.req.valid("json");
    if (body.machine !== undefined) selectMachine(c.env, body.machine);
    const { profile } = body;
    const clearsProfile = profile?.id === "";
    const selected = await selectReferences(c.env, c.var.caller, {
      ...body,
      profile: clearsProfile ? undefined : profile,
    });
    let id = idOrName;
    await callPool(c.env, c.var.caller, idOrName, (caller) => {
      id = caller.poolId;
      const pool = poolObject(c.env, id);
      return pool.update(caller, toConfigurationChange(body, selected), {
        telemetry: body.telemetry ?? null,
        discardAllIdle: body.discard_all_idle,
      });
    });
    return c.json(presentPool(await requirePool(c.env, c.var.caller, id)), 200);
  },
);

browserPoolRoutes.openapi(
  route("delete", "/browser_pools/{id_or_name}", {
    operationId: "deleteBrowserPool",
    summary: "Delete a browser pool",
    description: "Answers 409 while browsers of the pool are leased, unless `force` is set.",
    request: { params: poolParamSchema, body: jsonRequest(deletePoolBodySchema) },
    responses: { 204: { description: "Deleted." } },
    errors: [409],
  }),
  async (c) => {
    const { force } = c.req.valid("json");
    const idOrName = c.req.valid("param").id_or_name;
    await callPool(c.env, c.var.caller, idOrName, (caller) =>
      poolObject(c.env, caller.poolId).delete(caller, force),
    );
    return c.body(null, 204);
  },
);

browserPoolRoutes.openapi(
  route("post", "/browser_pools/{id_or_name}/acquire", {
    operationId: "acquireBrowser",
    summary: "Acquire a browser",
    description:
      "Returns an idle browser at once. Otherwise the call waits in order of arrival and answers 204 when none becomes idle in " +
      "time; call again. The session ends when it is unused for the pool's timeout_seconds.",
    request: {
      params: poolParamSchema,
      headers: acquireHeadersSchema,
      body: jsonRequest(acquireBodySchema),
    },
    responses: {
      200: jsonResponse(sessionSchema, "The session, ready to use."),
      204: { description: "No browser became idle in time." },
    },
    errors: [402, 409, 501],
  }),
  async (c) => {
    const body = c.req.valid("json");
    const clientTimeout = Number(c.req.valid("header")["X-Stainless-Timeout"]);
    const session = await acquireFromPool(c, {
      idOrName: c.req.valid("param").id_or_name,
      body,
      clientTimeoutSeconds: clientTimeout > 0 ? clientTimeout : undefined,
      present: (row) => {
        c.set("sessionId", row.id);
        return presentWithURLs(c.env, c.req, row, c.var.caller);
      },
    });
    return session === undefined ? c.body(null, 204) : c.json(session, 200);
  },
);

browserPoolRoutes.openapi(
  route("post", "/browser_pools/{id_or_name}/release", {
    operationId: "releaseBrowser",
    summary: "Release a browser",
    description:
      "Ends the session's connections and processes, deletes its files and revokes its URLs. With `reuse`, tabs and cookies " +
      "stay for the next caller.",
    request: { params: poolParamSchema, body: jsonRequest(releaseBodySchema) },
    responses: { 204: { description: "Released." } },
  }),
  async (c) => {
    const { session_id: sessionId, reuse } = c.req.valid("json");
    const idOrName = c.req.valid("param").id_or_name;
    await callPool(c.env, c.var.caller, idOrName, (caller) =>
      poolObject(c.env, caller.poolId).release(caller, { sessionId, reuse }),
    );
    c.set("sessionId", sessionId);
    return c.body(null, 204);
  },
);

browserPoolRoutes.openapi(
  route("post", "/browser_pools/{id_or_name}/flush", {
    operationId: "endEveryIdleBrowserOfPool",
    summary: "End every idle browser of a pool",
    description: "They are replaced at the fill rate. Leased browsers are not affected.",
    request: { params: poolParamSchema },
    responses: { 204: { description: "Flushed." } },
  }),
  async (c) => {
    const idOrName = c.req.valid("param").id_or_name;
    await callPool(c.env, c.var.caller, idOrName, (caller) => poolObject(c.env, caller.poolId).flush(caller));
    return c.body(null, 204);
  },
);

async function requirePool(env: Env, scope: ProjectScope, idOrName: string): Promise<CountedPool> {
  return requireFound(await findPool(openDatabase(env.DB), scope, idOrName), "browser pool");
}
