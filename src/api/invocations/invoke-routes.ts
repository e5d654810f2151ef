import { z } from "@hono/zod-openapi";
import {
  createdInvocationSchema,
  createInvocationBodySchema,
  invocationEventSchema,
  invocationEventsQuerySchema,
  invocationObject,
  invocationParamSchema,
  invocationSchema,
  invokeAction,
  MAX_BODY_BYTES,
  presentCreatedInvocation,
  readInvocation,
  readValue,
  requireInvocation,
  SYNC_TIMEOUT_MS,
  updateInvocationBodySchema,
} from "../../features/apps/index.ts";
import { apiKeyOf, type CallerEnv } from "../../features/organizations/index.ts";
import {
  endSessionsOfInvocation,
  listSessionsOfInvocation,
  presentSessions,
  publicOrigin,
  sessionSchema,
} from "../../features/sessions/index.ts";
import { unwrap } from "../../lib/common/outcome.ts";
import { regionOfRequest } from "../../lib/common/regions.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { eventStreamResponse, eventsResponse } from "../../lib/http/event-stream-response.ts";
import { jsonBodyUpTo } from "../../lib/http/json-body.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { newRouter } from "../../lib/http/router.ts";
import { requireFeatures } from "../../platform/capabilities/index.ts";
import { requireDynamicWorkers } from "../require-dynamic-workers.ts";

const route = routesOf("Apps", API_KEY_SECURITY);

export const invokeRoutes = newRouter<CallerEnv>();

invokeRoutes.use("/invocations/*", requireDynamicWorkers);

invokeRoutes.openapi(
  route("post", "/invocations", {
    operationId: "invokeAction",
    summary: "Invoke an action",
    description:
      `Answers when the action has ended, successfully or not, and fails it after ${SYNC_TIMEOUT_MS / 1000} seconds. ` +
      "With `async` it answers at once. The action continues when the caller disconnects.",
    middleware: jsonBodyUpTo(MAX_BODY_BYTES),
    request: { body: jsonRequest(createInvocationBodySchema) },
    responses: {
      200: jsonResponse(createdInvocationSchema, "The finished invocation."),
      202: jsonResponse(createdInvocationSchema, "The accepted invocation."),
    },
    errors: [402, 501],
  }),
  async (c) => {
    await requireFeatures(c.env, ["action_name"]);
    const body = c.req.valid("json");
    const row = await invokeAction(c.env, {
      caller: c.var.caller,
      apiKeyId: apiKeyOf(c.var.caller),
      body,
      origin: publicOrigin(c.env, c.req),
      near: regionOfRequest(c.req.raw),
    });
    if (body.async) return c.json(presentCreatedInvocation(row, null), 202);
    return c.json(presentCreatedInvocation(row, await readValue(c.env, row, "output")), 200);
  },
);

invokeRoutes.openapi(
  route("patch", "/invocations/{id}", {
    operationId: "finishInvocation",
    summary: "Finish an invocation",
    description: "Ends its action and its browsers. 409 when it has already finished.",
    middleware: jsonBodyUpTo(MAX_BODY_BYTES),
    request: { params: invocationParamSchema, body: jsonRequest(updateInvocationBodySchema) },
    responses: { 200: jsonResponse(invocationSchema, "The invocation.") },
    errors: [409, 501],
  }),
  async (c) => {
    const before = await requireInvocation(openDatabase(c.env.DB), c.var.caller, c.req.valid("param").id);
    const object = invocationObject(c.env, before.id);
    const row = unwrap(await object.update(before, c.req.valid("json")));
    return c.json(await readInvocation(c.env, row), 200);
  },
);

invokeRoutes.openapi(
  route("get", "/invocations/{id}/events", {
    operationId: "followInvocation",
    summary: "Follow an invocation",
    description: "Past states and the last log lines, then new ones until the invocation has finished.",
    request: { params: invocationParamSchema, query: invocationEventsQuerySchema },
    responses: { 200: eventsResponse(invocationEventSchema) },
    errors: [501],
  }),
  async (c) => {
    const row = await requireInvocation(openDatabase(c.env.DB), c.var.caller, c.req.valid("param").id);
    const { since } = c.req.valid("query");
    return eventStreamResponse(await invocationObject(c.env, row.id).events(row, since));
  },
);

invokeRoutes.openapi(
  route("get", "/invocations/{id}/browsers", {
    operationId: "listInvocationBrowserSessions",
    summary: "List an invocation's browser sessions",
    description: "All active sessions, newest first.",
    request: { params: invocationParamSchema },
    responses: {
      200: jsonResponse(
        z.object({
          browsers: z.array(sessionSchema).describe("Active sessions of the invocation."),
        }),
        "The sessions.",
      ),
    },
    errors: [501],
  }),
  async (c) => {
    const { id } = await requireInvocation(openDatabase(c.env.DB), c.var.caller, c.req.valid("param").id);
    const rows = await listSessionsOfInvocation(openDatabase(c.env.DB), id);
    return c.json({ browsers: await presentSessions(c.env, c.req, rows, c.var.caller) }, 200);
  },
);

invokeRoutes.openapi(
  route("delete", "/invocations/{id}/browsers", {
    operationId: "endInvocationBrowserSessions",
    summary: "End an invocation's browser sessions",
    description: "The action continues.",
    request: { params: invocationParamSchema },
    responses: { 204: { description: "Ended." } },
    errors: [501],
  }),
  async (c) => {
    const { id } = await requireInvocation(openDatabase(c.env.DB), c.var.caller, c.req.valid("param").id);
    await endSessionsOfInvocation(c.env, id, "deleted");
    return c.body(null, 204);
  },
);
