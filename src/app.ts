import { Hono, type HonoRequest } from "hono";
import { adminRoutes } from "./api/admin/routes.ts";
import { adminSessionRoutes } from "./api/admin/session-routes.ts";
import { auditLogRoutes } from "./api/audit/routes.ts";
import { browserSessionRoutes } from "./api/browsers/routes.ts";
import { cdpRoutes } from "./api/cdp/routes.ts";
import { computerRoutes } from "./api/computer/routes.ts";
import { connectRoutes, isForBrowser, tellCloseReasons } from "./api/connect/index.ts";
import { consoleRoutes } from "./api/console/routes.ts";
import { consoleSessionRoutes } from "./api/console/session-routes.ts";
import { deploymentRoutes } from "./api/deployments/routes.ts";
import { documentationRoutes } from "./api/documentation/routes.ts";
import { extensionRoutes } from "./api/extensions/routes.ts";
import { fileRoutes } from "./api/files/routes.ts";
import { handoffRoutes } from "./api/handoffs/routes.ts";
import { healthRoutes } from "./api/health/routes.ts";
import { invokeRoutes } from "./api/invocations/invoke-routes.ts";
import { invocationRoutes } from "./api/invocations/routes.ts";
import { apiKeyRoutes } from "./api/keys/routes.ts";
import { liveViewPageRoutes } from "./api/live-view/page-routes.ts";
import { liveViewRoutes } from "./api/live-view/routes.ts";
import { mcpRoutes } from "./api/mcp/index.ts";
import { notImplementedRoutes } from "./api/not-implemented-routes.ts";
import { describeOperations } from "./api/openapi-document.ts";
import { organizationRoutes } from "./api/organizations/routes.ts";
import { otlpDestinationRoutes } from "./api/otlp-destinations/routes.ts";
import { playwrightRoutes } from "./api/playwright/routes.ts";
import { browserPoolRoutes } from "./api/pools/routes.ts";
import { probeRoutes } from "./api/probe/routes.ts";
import { processRoutes } from "./api/processes/routes.ts";
import { profileRoutes } from "./api/profiles/routes.ts";
import { projectRoutes } from "./api/projects/routes.ts";
import { proxyRoutes } from "./api/proxies/routes.ts";
import { recordCalls } from "./api/record-calls.ts";
import { recordRequest } from "./api/record-request.ts";
import { recordingPageRoutes } from "./api/recordings/page-routes.ts";
import { recordingRoutes } from "./api/recordings/routes.ts";
import { restrictRunKeys } from "./api/run-scope.ts";
import { telemetryRoutes } from "./api/telemetry/routes.ts";
import { operatorUsageRoutes, usageRoutes } from "./api/usage/routes.ts";
import { bidiRoutes, webDriverRoutes } from "./api/webdriver/routes.ts";
import { webhookRoutes } from "./api/webhooks/routes.ts";
import { failOrphanedInvocations, runKeys } from "./features/apps/index.ts";
import { endOrphanedPools } from "./features/browser-pools/index.ts";
import {
  acceptConsoleSession,
  answerRefusalsLate,
  authenticateCaller,
  authenticateOperator,
  type CallerEnv,
  limitFailedAuthentications,
} from "./features/organizations/index.ts";
import { endOrphanedSessions } from "./features/sessions/index.ts";
import { notFound, ServiceError } from "./lib/common/errors.ts";
import { requireSecrets } from "./lib/common/settings.ts";
import { jsonHeaders } from "./lib/http/json-headers.ts";
import { KnownPaths } from "./lib/http/known-paths.ts";
import { listOperationIds } from "./lib/http/operation-ids.ts";
import { readBodyToEnd } from "./lib/http/request-body.ts";
import { logRequest } from "./lib/http/request-log.ts";
import { newRouter } from "./lib/http/router.ts";
import { toServiceError } from "./lib/http/to-service-error.ts";
import { acceptTokenInQuery } from "./lib/http/token-in-query.ts";
import { toErrorResponse } from "./lib/http/wire-error.ts";

/** In the order of the documentation. */
const FEATURES = [
  browserSessionRoutes,
  browserPoolRoutes,
  proxyRoutes,
  extensionRoutes,
  profileRoutes,
  computerRoutes,
  liveViewRoutes,
  handoffRoutes,
  recordingRoutes,
  fileRoutes,
  processRoutes,
  telemetryRoutes,
  playwrightRoutes,
  deploymentRoutes,
  invocationRoutes,
  invokeRoutes,
  organizationRoutes,
  apiKeyRoutes,
  projectRoutes,
  usageRoutes,
  auditLogRoutes,
  otlpDestinationRoutes,
  webhookRoutes,
];

const operatorRoutes = adminRoutes({
  // Pools first: they would replace browsers that end.
  endOrphaned: async (env, organizationId) => {
    await endOrphanedPools(env);
    await failOrphanedInvocations(env);
    await endOrphanedSessions(env);
    await env.AUDIT_LOG.getByName(organizationId).settle();
  },
});

const OPERATOR_FEATURES = [operatorRoutes, adminSessionRoutes, operatorUsageRoutes, probeRoutes];

let openAPI: ReturnType<typeof openAPIDocument> | undefined;

export const app = new Hono<{ Bindings: Env }>();

app.use(tellCloseReasons, logRequest, recordRequest, jsonHeaders);
app.use(limitFailedAuthentications, answerRefusalsLate, readBodyToEnd);
app.onError((error) => toErrorResponse(toServiceError(error)));
app.notFound((c) => {
  throw unknownRoute(c.req);
});

app.route("/", healthRoutes);
app.get("/", (c, next) => (isForBrowser(c.req) ? next() : Promise.resolve(c.redirect("/docs/"))));
app.get("/openapi.json", (c) => {
  openAPI ??= openAPIDocument();
  return c.json(openAPI);
});
app.route("/", documentationRoutes);
app.route("/", consoleRoutes);

app.use(async (c, next) => {
  requireSecrets(c.env);
  await next();
});

app.route("/", consoleSessionRoutes);

// Authenticated by the token of a signed URL.
app.route("/", cdpRoutes);
app.route("/", bidiRoutes);
app.route("/", liveViewPageRoutes);
app.route("/", recordingPageRoutes);

// Authenticated by an API key, which may be in the URL.
app.route("/", connectRoutes);
// Sessions are created with an API key, and their ids contain a token.
for (const path of ["/", "/wd/hub"]) {
  const authenticate = authenticateCaller(runKeys, { operation: "POST /browsers" });
  app.route(path, webDriverRoutes(authenticate, restrictRunKeys));
}

app.use("/admin/*", acceptConsoleSession, authenticateOperator);
app.use("/metrics", authenticateOperator);
for (const routes of OPERATOR_FEATURES) app.route("/", routes);
app.all("/admin/*", (c) => {
  throw unknownRoute(c.req);
});

// All other paths require an API key, even unknown ones.
const callerRoutes = newRouter<CallerEnv>();
callerRoutes.use("/mcp", acceptTokenInQuery);
callerRoutes.use(
  acceptConsoleSession,
  authenticateCaller(runKeys),
  restrictRunKeys,
  recordCalls((method, route) => operationIds().get(`${method} ${route}`)),
);
// First, because a path such as /extensions/from_chrome_store also matches a route with a name.
callerRoutes.route("/", notImplementedRoutes);
for (const routes of FEATURES) callerRoutes.route("/", routes);
callerRoutes.route("/", mcpRoutes);
app.route("/", callerRoutes);

let operationIdsByRoute: Map<string, string> | undefined;

/** Ids of operations by method and route, such as `GET /browsers/:id`. */
function operationIds(): Map<string, string> {
  operationIdsByRoute ??= listOperationIds(FEATURES.map(({ openAPIRegistry }) => openAPIRegistry));
  return operationIdsByRoute;
}

let knownPaths: KnownPaths | undefined;

function unknownRoute({ method, path }: HonoRequest): ServiceError {
  knownPaths ??= new KnownPaths(app.routes);
  const allow = knownPaths.methodsOf(path);
  if (allow.length === 0) return notFound("route");
  const message = `${method} is not allowed here; allowed: ${allow.join(", ")}`;
  return new ServiceError("method_not_allowed", message, { allow });
}

function openAPIDocument() {
  const documented = newRouter();
  for (const routes of FEATURES) documented.route("/", routes);
  documented.route("/", consoleSessionRoutes);
  for (const routes of OPERATOR_FEATURES) documented.route("/", routes);
  return describeOperations(documented);
}
