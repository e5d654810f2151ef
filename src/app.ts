import { Hono, type HonoRequest } from "hono";
import { HTTPException } from "hono/http-exception";
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
import { invokeRoutes } from "./api/invocations/invoke-routes.ts";
import { invocationRoutes } from "./api/invocations/routes.ts";
import { apiKeyRoutes } from "./api/keys/routes.ts";
import { liveViewPageRoutes } from "./api/live-view/page-routes.ts";
import { liveViewRoutes } from "./api/live-view/routes.ts";
import { mcpRoutes } from "./api/mcp/index.ts";
import { NOT_IMPLEMENTED_ROUTES } from "./api/not-implemented-routes.ts";
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
import { replayPageRoutes } from "./api/replays/page-routes.ts";
import { replayRoutes } from "./api/replays/routes.ts";
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
  findAPIKey,
  isOperator,
  limitFailedAuthentications,
  requireAPIKey,
} from "./features/organizations/index.ts";
import { endOrphanedSessions, revokeURLs } from "./features/sessions/index.ts";
import {
  badRequest,
  isStorageFull,
  notFound,
  ServiceError,
  serviceUnavailable,
  storageFull,
} from "./lib/common/errors.ts";
import { logError } from "./lib/common/log.ts";
import { requireConfiguration, requireSecrets } from "./lib/common/settings.ts";
import { isDatabaseError, openDatabase } from "./lib/database/client.ts";
import { jsonHeaders } from "./lib/http/json-headers.ts";
import { KnownPaths } from "./lib/http/known-paths.ts";
import { listOperationIds, withOperationIds } from "./lib/http/operation-ids.ts";
import { readBodyToEnd } from "./lib/http/request-body.ts";
import { logRequest } from "./lib/http/request-log.ts";
import { newRouter } from "./lib/http/router.ts";
import { acceptTokenInQuery } from "./lib/http/token-in-query.ts";
import { toErrorResponse } from "./lib/http/wire-error.ts";

const DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Berth",
    version: "1",
    license: { name: "MIT", identifier: "MIT" },
    description:
      "Cloud browser sessions. Create one, connect Playwright or Puppeteer to its `cdp_ws_url`, and drive it. " +
      "The Kernel SDK and CLI work with this API: set their base URL to this service.\n\n" +
      "`cdp_ws_url` is a WebSocket URL of the Chrome DevTools Protocol. With the scheme `http(s)` it serves " +
      "`/json/version` and `/json/list` below its path. It carries its own token. It answers 401 without the token, 410 once the " +
      "session has ended and 503 while its browser does not respond.\n\n" +
      "`wss://…/connect?token=<API key>` creates a session, connects, and ends the session with the connection. " +
      "Its query takes the fields of POST /browsers; see the page about connect URLs.\n\n" +
      "Fields and query parameters that an operation does not know are ignored, unless that would give more than the caller " +
      "asked for. The response's header `x-unknown-fields` names them, separated by commas.",
  },
  servers: [{ url: "/", description: "This service." }],
  tags: [
    { name: "Browser sessions", description: "Create, find, change and end remote browsers." },
    { name: "Browser pools", description: "Browsers that are launched in advance." },
    { name: "Proxies", description: "Proxies for sessions' traffic." },
    { name: "Extensions", description: "Content scripts and styles for sessions' pages." },
    { name: "Profiles", description: "Cookies and storage that are kept between sessions." },
    { name: "Computer", description: "A session's mouse, keyboard, clipboard and screen." },
    { name: "Live view", description: "A page to watch and control a session." },
    { name: "Recordings", description: "Videos of sessions." },
    { name: "Files", description: "The files of a session's machine." },
    { name: "Processes", description: "The processes of a session's machine." },
    { name: "Telemetry", description: "What happened in a session." },
    { name: "Playwright", description: "Code that runs beside a session's browser." },
    { name: "Apps", description: "Automation apps, their deployments and invocations." },
    { name: "Organization", description: "The caller's own API keys and limits." },
    { name: "Audit log", description: "The organization's calls, in a chain of hashes." },
    { name: "Webhooks", description: "Events that are sent to the organization's own servers." },
    { name: "Console", description: "Signing in to the web console at /console." },
    { name: "Operator", description: "For the operator of the service, with ADMIN_TOKEN." },
  ],
};

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
  replayRoutes,
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

let openAPI: ReturnType<typeof openAPIDocument> | undefined;

export const app = new Hono<{ Bindings: Env }>();

app.use(tellCloseReasons, logRequest, recordRequest, jsonHeaders);
app.use(limitFailedAuthentications, answerRefusalsLate, readBodyToEnd);
app.onError((error) => toErrorResponse(toServiceError(error)));
app.notFound((c) => {
  throw unknownRoute(c.req);
});

app.get("/health", async (c) => {
  try {
    requireConfiguration(c.env);
    return c.json({ status: "ok" });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    logError("misconfigured", error.cause);
    const showsCause =
      error.cause instanceof Error && (await isOperator(c.env, c.req.header("authorization")));
    const message = showsCause ? String(error.cause) : error.message;
    return c.json({ status: "misconfigured", message }, 503, { "retry-after": "60" });
  }
});
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
app.route("/", replayPageRoutes);

// Authenticated by an API key, which may be in the URL.
app.route("/", connectRoutes);
// Sessions are created with an API key, and their ids contain a token.
for (const path of ["/", "/wd/hub"]) {
  const authenticate = authenticateCaller(runKeys, { operation: "POST /browsers" });
  app.route(path, webDriverRoutes(authenticate, restrictRunKeys));
}

const operatorRoutes = adminRoutes({
  // Pools first: they would replace browsers that end.
  endOrphaned: async (env, organizationId) => {
    await endOrphanedPools(env);
    await failOrphanedInvocations(env);
    await endOrphanedSessions(env);
    await env.AUDIT_LOG.getByName(organizationId).settle();
  },
});
app.use("/admin/*", acceptConsoleSession, authenticateOperator);
app.use("/metrics", authenticateOperator);
app.route("/", operatorRoutes);
app.route("/", adminSessionRoutes);
app.route("/", operatorUsageRoutes);
app.route("/", probeRoutes);
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
// Connections made with a leaked key must end before the key is deleted.
callerRoutes.delete("/org/api_keys/:id", async (c, next) => {
  const caller = requireAPIKey(c.var.caller);
  const apiKeyId = c.req.param("id");
  const key = await findAPIKey(openDatabase(c.env.DB), caller, apiKeyId);
  if (key !== undefined && apiKeyId !== caller.keyId) {
    await revokeURLs(c.env, caller.organizationId, { apiKeyId });
  }
  await next();
});
// First, because a path such as /extensions/from_chrome_store also matches a route with a name.
for (const route of NOT_IMPLEMENTED_ROUTES) {
  const [method = "", path = ""] = route.split(" ");
  callerRoutes.on(method, path, () => {
    throw new ServiceError("not_implemented", `${route} is not implemented by this service`, {
      shouldRetry: false,
    });
  });
}
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
  const document = newRouter();
  for (const routes of FEATURES) document.route("/", routes);
  document.route("/", consoleSessionRoutes);
  document.route("/", operatorRoutes);
  document.route("/", adminSessionRoutes);
  document.route("/", operatorUsageRoutes);
  document.route("/", probeRoutes);
  document.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description: "An API key of an organization, or the key of an invocation's run.",
  });
  document.openAPIRegistry.registerComponent("securitySchemes", "operatorToken", {
    type: "http",
    scheme: "bearer",
    description: "ADMIN_TOKEN of the deployment.",
  });
  return withOperationIds(document.getOpenAPI31Document(DOCUMENT));
}

/** Only the causes of refusals and unexpected errors are logged. */
function toServiceError(error: Error): ServiceError {
  if (error instanceof ServiceError) {
    if (error.cause !== undefined) logError("request_refused", error.cause);
    return error;
  }
  if (error instanceof HTTPException && error.status < 500) {
    return badRequest({ field: "", message: error.message });
  }
  logError("request_failed", error);
  if (isStorageFull(error)) return storageFull();
  if (isDatabaseError(error)) return serviceUnavailable("The database does not answer");
  if (isTransient(error)) return serviceUnavailable("The session or pool is restarting; try again");
  return new ServiceError("internal_error", "Internal error", { cause: error });
}

/** The platform marks errors of calls that may succeed on retry, as during a deployment. */
function isTransient(error: Error): boolean {
  return (
    ("retryable" in error && error.retryable === true) || ("overloaded" in error && error.overloaded === true)
  );
}
