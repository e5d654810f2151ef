import { Hono, type HonoRequest } from "hono";
import { HTTPException } from "hono/http-exception";
import {
  deploymentRoutes,
  failOrphanedInvocations,
  invocationRoutes,
  invokeRoutes,
  restrictRunKeys,
  runKeys,
} from "./apps/index.ts";
import { auditLogRoutes, recordRequest } from "./audit/index.ts";
import { browserPoolRoutes, endOrphanedPools } from "./browser-pools/index.ts";
import {
  badRequest,
  isStorageFull,
  notFound,
  ServiceError,
  serviceUnavailable,
  storageFull,
} from "./common/errors.ts";
import { logError } from "./common/log.ts";
import { requireConfiguration, requireSecrets } from "./common/settings.ts";
import { connectRoutes, isForBrowser, tellCloseReasons } from "./connect/index.ts";
import { isDatabaseError, openDatabase } from "./database/client.ts";
import { extensionRoutes } from "./extensions/index.ts";
import { consoleRoutes } from "./http/console.ts";
import { documentationRoutes } from "./http/documentation.ts";
import { jsonHeaders } from "./http/json-headers.ts";
import { KnownPaths } from "./http/known-paths.ts";
import { listOperationIds, withOperationIds } from "./http/operation-ids.ts";
import { readBodyToEnd } from "./http/request-body.ts";
import { logRequest } from "./http/request-log.ts";
import { newRouter } from "./http/router.ts";
import { acceptTokenInQuery } from "./http/token-in-query.ts";
import { toErrorResponse } from "./http/wire-error.ts";
import { mcpRoutes } from "./mcp/index.ts";
import { NOT_IMPLEMENTED_ROUTES } from "./not-implemented-routes.ts";
import {
  acceptConsoleSession,
  adminRoutes,
  answerRefusalsLate,
  apiKeyRoutes,
  authenticateCaller,
  authenticateOperator,
  type CallerEnv,
  consoleSessionRoutes,
  findAPIKey,
  isOperator,
  limitFailedAuthentications,
  organizationRoutes,
  projectRoutes,
  requireAPIKey,
} from "./organizations/index.ts";
import { playwrightRoutes } from "./playwright/index.ts";
import { probeRoutes } from "./probe/index.ts";
import { profileRoutes } from "./profiles/index.ts";
import { proxyRoutes } from "./proxies/index.ts";
import {
  adminSessionRoutes,
  bidiRoutes,
  browserSessionRoutes,
  cdpRoutes,
  computerRoutes,
  endOrphanedSessions,
  fileRoutes,
  handoffRoutes,
  liveViewPageRoutes,
  liveViewRoutes,
  processRoutes,
  recordCalls,
  replayPageRoutes,
  replayRoutes,
  revokeURLs,
  telemetryRoutes,
  webDriverRoutes,
} from "./sessions/index.ts";
import { otlpDestinationRoutes } from "./telemetry/index.ts";
import { operatorUsageRoutes, usageRoutes } from "./usage/index.ts";
import { webhookRoutes } from "./webhooks/index.ts";

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
