import {
  appListQuerySchema,
  appSchema,
  createDeployment,
  deploymentEventSchema,
  deploymentEventsQuerySchema,
  deploymentListQuerySchema,
  deploymentObject,
  deploymentParamSchema,
  deploymentSchema,
  findDeployment,
  listCurrentApps,
  listDeployments,
  presentApp,
  presentDeployment,
  REGION,
} from "../../features/apps/index.ts";
import type { CallerEnv } from "../../features/organizations/index.ts";
import { requireFound } from "../../lib/common/errors.ts";
import { unwrap } from "../../lib/common/outcome.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { DeploymentRow } from "../../lib/database/schema/apps.ts";
import { eventStreamResponse, eventsResponse } from "../../lib/http/event-stream-response.ts";
import { API_KEY_SECURITY, jsonResponse, multipartRequest, routesOf } from "../../lib/http/openapi.ts";
import { pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";
import { requireFeatures } from "../../platform/capabilities/index.ts";
import { requireDynamicWorkers } from "../require-dynamic-workers.ts";

const route = routesOf("Apps", API_KEY_SECURITY);
const shared = { middleware: requireDynamicWorkers, errors: [501] as const };

const text = { type: "string" as const };

const DEPLOYMENT_FORM = multipartRequest({
  type: "object" as const,
  required: ["file", "entrypoint_rel_path"],
  properties: {
    file: { ...text, format: "binary", description: "A zip of the app's folder." },
    entrypoint_rel_path: { ...text, description: "The app's entry point in the zip, such as `index.ts`." },
    profiles: {
      ...text,
      description: "Profiles that sessions of its runs may use: ids or names, separated by commas.",
    },
    proxies: {
      ...text,
      description: "Proxies that sessions of its runs may use: ids or names, separated by commas.",
    },
    version: { ...text, default: "latest", description: "Version label under which the app is invoked." },
    force: {
      ...text,
      enum: ["true", "false"],
      default: "false",
      description: "Whether to replace an app of the same version. Version `latest` is always replaced.",
    },
    env_vars: {
      type: "object" as const,
      additionalProperties: text,
      description:
        "Environment variables, as fields `env_vars[NAME]` or `env_vars.NAME`. They are stored encrypted.",
    },
    region: { ...text, enum: [REGION], description: "The only region." },
  },
});

export const deploymentRoutes = newRouter<CallerEnv>();

deploymentRoutes.openapi(
  route("post", "/deployments", {
    operationId: "deployApp",
    summary: "Deploy an app",
    description:
      "Responds at once; the deployment's events report its progress. An app is TypeScript or JavaScript that uses " +
      "`@onkernel/sdk`.",
    requestBody: DEPLOYMENT_FORM,
    responses: { 200: jsonResponse(deploymentSchema, "The deployment.") },
    ...shared,
  }),
  async (c) => {
    await requireFeatures(c.env, ["file"]);
    const row = await createDeployment(c.env, c.var.caller, c.req.raw);
    return c.json(presentDeployment(row), 200);
  },
);

deploymentRoutes.openapi(
  route("get", "/deployments", {
    operationId: "listDeployments",
    summary: "List deployments",
    description: "Newest first.",
    request: { query: deploymentListQuerySchema },
    responses: { 200: pageResponse(deploymentSchema, "A page of deployments.") },
    ...shared,
  }),
  async (c) => {
    const query = c.req.valid("query");
    const rows = await listDeployments(openDatabase(c.env.DB), c.var.caller, query, query);
    const { items, headers } = toPage(rows, query);
    return c.json(items.map(presentDeployment), 200, headers);
  },
);

deploymentRoutes.openapi(
  route("get", "/deployments/{id}", {
    operationId: "getDeployment",
    summary: "Get a deployment",
    description: "Includes failed and stopped deployments.",
    request: { params: deploymentParamSchema },
    responses: { 200: jsonResponse(deploymentSchema, "The deployment.") },
    ...shared,
  }),
  async (c) => {
    const row = await requireDeployment(c.env, c.var.caller, c.req.valid("param").id);
    return c.json(presentDeployment(row), 200);
  },
);

deploymentRoutes.openapi(
  route("delete", "/deployments/{id}", {
    operationId: "stopDeployment",
    summary: "Stop a deployment",
    description:
      "Its apps can no longer be invoked, and their unfinished invocations fail. Lists of deployments still contain it, " +
      "unless they are filtered by app.",
    request: { params: deploymentParamSchema },
    responses: { 204: { description: "Stopped, or already over." } },
    ...shared,
  }),
  async (c) => {
    const row = await requireDeployment(c.env, c.var.caller, c.req.valid("param").id);
    unwrap(await deploymentObject(c.env, row.id).stop(row));
    return c.body(null, 204);
  },
);

deploymentRoutes.openapi(
  route("get", "/deployments/{id}/events", {
    operationId: "followDeployment",
    summary: "Follow a deployment",
    description:
      "Begins with past events: states, deployed apps, and the last log lines of the deployment and its invocations. " +
      "Ends when the deployment has failed or was stopped.",
    request: { params: deploymentParamSchema, query: deploymentEventsQuerySchema },
    responses: { 200: eventsResponse(deploymentEventSchema) },
    ...shared,
  }),
  async (c) => {
    const row = await requireDeployment(c.env, c.var.caller, c.req.valid("param").id);
    const { since } = c.req.valid("query");
    return eventStreamResponse(await deploymentObject(c.env, row.id).events(row, since));
  },
);

deploymentRoutes.openapi(
  route("get", "/apps", {
    operationId: "listApps",
    summary: "List apps",
    description: "Apps that can be invoked, newest first: one for each name and version.",
    request: { query: appListQuerySchema },
    responses: { 200: pageResponse(appSchema, "A page of apps.") },
    ...shared,
  }),
  async (c) => {
    const query = c.req.valid("query");
    const rows = await listCurrentApps(openDatabase(c.env.DB), c.var.caller, query, query);
    const { items, headers } = toPage(rows, query);
    return c.json(items.map(presentApp), 200, headers);
  },
);

async function requireDeployment(env: Env, scope: ProjectScope, id: string): Promise<DeploymentRow> {
  return requireFound(await findDeployment(openDatabase(env.DB), scope, id), "deployment");
}
