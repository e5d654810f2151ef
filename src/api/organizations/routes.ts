import { createRoute } from "@hono/zod-openapi";
import {
  type CallerEnv,
  findOrganization,
  limitProjects,
  organizationLimitsSchema,
  overviewSchema,
  presentOrganizationLimits,
  readOverview,
  updateLimitsBodySchema,
} from "../../features/organizations/index.ts";
import { failedDeliveriesByHour } from "../../features/webhooks/index.ts";
import { badRequest, notFound } from "../../lib/common/errors.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { jsonBody } from "../../lib/http/json-body.ts";
import { API_KEY_SECURITY, errorResponses, jsonRequest, jsonResponse } from "../../lib/http/openapi.ts";
import { newRouter } from "../../lib/http/router.ts";

const shared = { tags: ["Organization"], security: API_KEY_SECURITY };

export const organizationRoutes = newRouter<CallerEnv>();

organizationRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/org/limits",
    operationId: "getOrganizationLimits",
    summary: "Get the organization's limits",
    description: "The organization's own limits, or the service's defaults.",
    responses: { 200: jsonResponse(organizationLimitsSchema, "The effective limits."), ...errorResponses() },
  }),
  async (c) => {
    const organization = await findOrganization(openDatabase(c.env.DB), c.var.caller.organizationId);
    if (organization === undefined) throw notFound("organization");
    return c.json(presentOrganizationLimits(organization, readSettings(c.env)), 200);
  },
);

organizationRoutes.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/org/limits",
    operationId: "changeDefaultLimitOfProjects",
    summary: "Change the default limit of projects",
    description: "It applies to each project without a limit of its own, including the default project.",
    middleware: jsonBody,
    request: { body: jsonRequest(updateLimitsBodySchema) },
    responses: {
      200: jsonResponse(organizationLimitsSchema, "The effective limits."),
      ...errorResponses(400, 413),
    },
  }),
  async (c) => {
    const { default_project_max_concurrent_sessions: limit } = c.req.valid("json");
    const { organizationId } = c.var.caller;
    const database = openDatabase(c.env.DB);
    const settings = readSettings(c.env);
    const organization =
      limit === undefined
        ? await findOrganization(database, organizationId)
        : await limitProjects(database, organizationId, limit || null, settings.maxConcurrentSessions);
    if (organization !== undefined) return c.json(presentOrganizationLimits(organization, settings), 200);
    throw badRequest({
      field: "default_project_max_concurrent_sessions",
      message: "must not exceed the organization's max_concurrent_sessions",
    });
  },
);

organizationRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/org/overview",
    operationId: "getOverviewOfOrganization",
    summary: "Get an overview of the organization",
    description: "How much of its limits is in use, and what happened in the last 24 hours.",
    responses: { 200: jsonResponse(overviewSchema, "The overview."), ...errorResponses() },
  }),
  async (c) => {
    const { organizationId } = c.var.caller;
    const database = openDatabase(c.env.DB);
    const settings = readSettings(c.env);
    const now = Date.now();
    return c.json(await readOverview(database, organizationId, settings, now, failedDeliveriesByHour), 200);
  },
);
