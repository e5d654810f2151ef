import { createRoute, z } from "@hono/zod-openapi";
import { listOwnBrowsers } from "../broker/index.ts";
import { notFound } from "../common/errors.ts";
import { readSettings } from "../common/settings.ts";
import { openDatabase } from "../database/client.ts";
import { API_KEY_SECURITY, errorResponses, jsonResponse, OPERATOR_SECURITY } from "../http/openapi.ts";
import { newRouter } from "../http/router.ts";
import { type CallerEnv, findOrganization, requireAPIKey } from "../organizations/index.ts";
import { formatMetrics, readMetrics } from "./metrics.ts";
import {
  operatorUsageQuerySchema,
  organizationUsageSchema,
  presentUsage,
  usageQuerySchema,
  usageSchema,
} from "./schema.ts";
import { readUsage } from "./store.ts";

export const usageRoutes = newRouter<CallerEnv>();

usageRoutes.openapi(
  createRoute({
    method: "get",
    path: "/org/usage",
    tags: ["Organization"],
    security: API_KEY_SECURITY,
    summary: "Get the organization's usage",
    description:
      "What the organization used in a range of whole hours, and what it costs by estimate. Living sessions are counted " +
      "until now. See the page about usage.",
    request: { query: usageQuerySchema },
    responses: { 200: jsonResponse(organizationUsageSchema, "The usage."), ...errorResponses(400) },
  }),
  async (c) => {
    const { organizationId } = requireAPIKey(c.var.caller);
    const { filter, grouping } = c.req.valid("query");
    const database = openDatabase(c.env.DB);
    const [organization, usage] = await Promise.all([
      findOrganization(database, organizationId),
      readUsage(database, { ...filter, organizationIds: [organizationId] }, grouping),
    ]);
    if (organization === undefined) throw notFound("organization");
    const { softBudgetUSD, hardBudgetUSD, overBudgetUntil } = organization;
    const isExceeded = overBudgetUntil !== null && overBudgetUntil > filter.now;
    const budget = {
      soft_usd: softBudgetUSD,
      hard_usd: hardBudgetUSD,
      exceeded_until: isExceeded ? new Date(overBudgetUntil).toISOString() : null,
    };
    return c.json({ ...presentUsage(usage, readSettings(c.env).prices), budget }, 200);
  },
);

const operator = { tags: ["Operator"], security: OPERATOR_SECURITY };

export const operatorUsageRoutes = newRouter<{ Bindings: Env }>();

operatorUsageRoutes.openapi(
  createRoute({
    ...operator,
    method: "get",
    path: "/admin/usage",
    summary: "Get the usage of all organizations",
    description: "As GET /org/usage, of all organizations or of one, also of deleted ones.",
    request: { query: operatorUsageQuerySchema },
    responses: { 200: jsonResponse(usageSchema, "The usage."), ...errorResponses(400) },
  }),
  async (c) => {
    const { filter, grouping } = c.req.valid("query");
    const usage = await readUsage(openDatabase(c.env.DB), filter, grouping);
    return c.json(presentUsage(usage, readSettings(c.env).prices), 200);
  },
);

operatorUsageRoutes.openapi(
  createRoute({
    ...operator,
    method: "get",
    path: "/metrics",
    summary: "Get metrics for Prometheus",
    description: "In the text format of Prometheus. Metrics do not name organizations.",
    responses: {
      200: { description: "The metrics.", content: { "text/plain": { schema: z.string() } } },
      ...errorResponses(),
    },
  }),
  async (c) => {
    const browsers = await listOwnBrowsers(c.env);
    const metrics = await readMetrics(openDatabase(c.env.DB), browsers.size, Date.now());
    return c.text(formatMetrics(metrics), 200, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
    });
  },
);
