import {
  type CallerEnv,
  findOrganization,
  limitProjects,
  organizationLimitsSchema,
  presentOrganizationLimits,
  updateLimitsBodySchema,
} from "../../features/organizations/index.ts";
import { badRequest, notFound } from "../../lib/common/errors.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { newRouter } from "../../lib/http/router.ts";
import { readOverview } from "./overview.ts";
import { overviewSchema } from "./schema.ts";

const route = routesOf("Organization", API_KEY_SECURITY);

export const organizationRoutes = newRouter<CallerEnv>();

organizationRoutes.openapi(
  route("get", "/org/limits", {
    operationId: "getOrganizationLimits",
    summary: "Get the organization's limits",
    description: "The organization's own limits, or the service's defaults.",
    responses: { 200: jsonResponse(organizationLimitsSchema, "The effective limits.") },
  }),
  async (c) => {
    const organization = await findOrganization(openDatabase(c.env.DB), c.var.caller.organizationId);
    if (organization === undefined) throw notFound("organization");
    return c.json(presentOrganizationLimits(organization, readSettings(c.env)), 200);
  },
);

organizationRoutes.openapi(
  route("patch", "/org/limits", {
    operationId: "changeDefaultLimitOfProjects",
    summary: "Change the default limit of projects",
    description: "It applies to each project without a limit of its own, including the default project.",
    request: { body: jsonRequest(updateLimitsBodySchema) },
    responses: { 200: jsonResponse(organizationLimitsSchema, "The effective limits.") },
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
  route("get", "/org/overview", {
    operationId: "getOverviewOfOrganization",
    summary: "Get an overview of the organization",
    description: "How much of its limits is in use, and what happened in the last 24 hours.",
    responses: { 200: jsonResponse(overviewSchema, "The overview.") },
  }),
  async (c) => {
    const { organizationId } = c.var.caller;
    const database = openDatabase(c.env.DB);
    return c.json(await readOverview(database, organizationId, readSettings(c.env), Date.now()), 200);
  },
);
