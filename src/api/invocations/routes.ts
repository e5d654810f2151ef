import { z } from "@hono/zod-openapi";
import {
  invocationListQuerySchema,
  invocationParamSchema,
  invocationSchema,
  listInvocations,
  readInvocation,
  requireInvocation,
  streamInvocations,
} from "../../features/apps/index.ts";
import type { CallerEnv } from "../../features/organizations/index.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { API_KEY_SECURITY, jsonResponse, jsonStreamResponse, routesOf } from "../../lib/http/openapi.ts";
import { pageHeadersSchema, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";
import { requireDynamicWorkers } from "../require-dynamic-workers.ts";

const route = routesOf("Apps", API_KEY_SECURITY);

export const invocationRoutes = newRouter<CallerEnv>();

invocationRoutes.use("/invocations/*", requireDynamicWorkers);

invocationRoutes.openapi(
  route("get", "/invocations", {
    operationId: "listInvocations",
    summary: "List invocations",
    description: "Newest first.",
    request: { query: invocationListQuerySchema },
    responses: {
      200: {
        ...jsonStreamResponse(z.array(invocationSchema), "A page of invocations."),
        headers: pageHeadersSchema,
      },
    },
    errors: [501],
  }),
  async (c) => {
    const { app_name, version, action_name, deployment_id, ...query } = c.req.valid("query");
    const filter = {
      ...query,
      version,
      appName: app_name,
      actionName: action_name,
      deploymentId: deployment_id,
    };
    const rows = await listInvocations(openDatabase(c.env.DB), c.var.caller, filter, query);
    const { items, headers } = toPage(rows, query);
    return c.body(streamInvocations(c.env, items), 200, { ...headers, "content-type": "application/json" });
  },
);

invocationRoutes.openapi(
  route("get", "/invocations/{id}", {
    operationId: "getInvocation",
    summary: "Get an invocation",
    description: "`output` and `finished_at` are set when it has finished.",
    request: { params: invocationParamSchema },
    responses: { 200: jsonResponse(invocationSchema, "The invocation.") },
    errors: [501],
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const row = await requireInvocation(openDatabase(c.env.DB), c.var.caller, id);
    return c.json(await readInvocation(c.env, row), 200);
  },
);
