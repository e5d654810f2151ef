import { z } from "@hono/zod-openapi";
import { type CallerEnv, findOrganization, requireAPIKey } from "../../features/organizations/index.ts";
import {
  operatorUsageQuerySchema,
  organizationUsageSchema,
  readMetrics,
  readUsage,
  usageQuerySchema,
  usageSchema,
} from "../../features/usage/index.ts";
import { countPending } from "../../features/webhooks/index.ts";
import { notFound } from "../../lib/common/errors.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { API_KEY_SECURITY, jsonResponse, OPERATOR_SECURITY, routesOf } from "../../lib/http/openapi.ts";
import { newRouter } from "../../lib/http/router.ts";
import { countWaitingLaunches, listOwnBrowsers } from "../../platform/broker/index.ts";

const route = routesOf("Organization", API_KEY_SECURITY);
const operatorRoute = routesOf("Operator", OPERATOR_SECURITY);

export const usageRoutes = newRouter<CallerEnv>();

usageRoutes.openapi(
  route("get", "/org/usage", {
    operationId: "getOrganizationUsage",
    summary: "Get the organization's usage",
    description:
      "What the organization used in a range of whole hours, and its estimated cost. Living sessions are counted " +
      "until now. See the page about usage.",
    request: { query: usageQuerySchema },
    responses: { 200: jsonResponse(organizationUsageSchema, "The usage.") },
  }),
  async (c) => {
    const { organizationId } = requireAPIKey(c.var.caller);
    const query = { ...c.req.valid("query"), organizationIds: [organizationId] };
    const database = openDatabase(c.env.DB);
    const [organization, usage] = await Promise.all([
      findOrganization(database, organizationId),
      readUsage(database, query, readSettings(c.env).prices),
    ]);
    if (organization === undefined) throw notFound("organization");
    const { softBudgetUSD, hardBudgetUSD, overBudgetUntil } = organization;
    const isExceeded = overBudgetUntil !== null && overBudgetUntil > query.now;
    const budget = {
      soft_usd: softBudgetUSD,
      hard_usd: hardBudgetUSD,
      exceeded_until: isExceeded ? new Date(overBudgetUntil).toISOString() : null,
    };
    return c.json({ ...usage, budget }, 200);
  },
);

export const operatorUsageRoutes = newRouter<{ Bindings: Env }>();

operatorUsageRoutes.openapi(
  operatorRoute("get", "/admin/usage", {
    operationId: "getUsageOfAllOrganizations",
    summary: "Get the usage of all organizations",
    description: "Like GET /org/usage, for all organizations or one, including deleted ones.",
    request: { query: operatorUsageQuerySchema },
    responses: { 200: jsonResponse(usageSchema, "The usage.") },
  }),
  async (c) => {
    const { prices } = readSettings(c.env);
    return c.json(await readUsage(openDatabase(c.env.DB), c.req.valid("query"), prices), 200);
  },
);

operatorUsageRoutes.openapi(
  operatorRoute("get", "/metrics", {
    operationId: "getMetricsForPrometheus",
    summary: "Get metrics for Prometheus",
    description: "In the Prometheus text format. Metrics do not name organizations.",
    responses: { 200: { description: "The metrics.", content: { "text/plain": { schema: z.string() } } } },
  }),
  async (c) => {
    const [browsers, launches_waiting] = await Promise.all([
      listOwnBrowsers(c.env),
      countWaitingLaunches(c.env),
    ]);
    const known = { browsers: browsers.size, launches_waiting };
    const metrics = await readMetrics(openDatabase(c.env.DB), known, countPending);
    return c.text(metrics, 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
  },
);
