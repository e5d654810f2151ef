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
import { browserPoolRoutes, endForsakenPools } from "./browser-pools/index.ts";
import { badRequest, notFound, ServiceError, serviceUnavailable } from "./common/errors.ts";
import { logError } from "./common/log.ts";
import { requireConfiguration, requireSecrets } from "./common/settings.ts";
import { isDatabaseError } from "./database/client.ts";
import { extensionRoutes } from "./extensions/index.ts";
import { documentationRoutes } from "./http/documentation.ts";
import { jsonHeaders } from "./http/json-headers.ts";
import { KnownPaths } from "./http/known-paths.ts";
import { withOperationIds } from "./http/operation-ids.ts";
import { readBodyToEnd } from "./http/request-body.ts";
import { logRequest } from "./http/request-log.ts";
import { newRouter } from "./http/router.ts";
import { toErrorResponse } from "./http/wire-error.ts";
import { NOT_IMPLEMENTED_ROUTES } from "./not-implemented-routes.ts";
import {
  adminRoutes,
  authenticateCaller,
  authenticateOperator,
  type CallerEnv,
  isOperator,
  limitFailedAuthentications,
  organizationRoutes,
  refuseProjects,
  requireAPIKey,
} from "./organizations/index.ts";
import { playwrightRoutes } from "./playwright/index.ts";
import { profileRoutes } from "./profiles/index.ts";
import { proxyRoutes } from "./proxies/index.ts";
import {
  browserSessionRoutes,
  cdpRoutes,
  computerRoutes,
  endOrphanedSessions,
  fileRoutes,
  liveViewPageRoutes,
  liveViewRoutes,
  processRoutes,
  revokeURLs,
} from "./sessions/index.ts";

const DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Berth",
    version: "1",
    license: { name: "MIT", identifier: "MIT" },
    description:
      "Cloud browser sessions. Create one, connect Playwright or Puppeteer to its `cdp_ws_url`, and drive it. " +
      "The Kernel SDK and CLI work with this API: set their base URL to this service.\n\n" +
      "`cdp_ws_url` is a WebSocket that speaks the Chrome DevTools Protocol; with `http` for `ws` it serves " +
      "`/json/version` and `/json/list` below its path. It carries its own token: 401 without it, 410 once the " +
      "session has ended, 503 while its browser does not answer.",
  },
  servers: [{ url: "/", description: "This service." }],
  tags: [
    { name: "Browser sessions", description: "Remote browsers and their lives." },
    { name: "Browser pools", description: "Warm browsers, handed out at once." },
    { name: "Proxies", description: "What sessions' traffic may go through." },
    { name: "Extensions", description: "Content scripts and styles for sessions' pages." },
    { name: "Profiles", description: "What browsers keep of sites, from one session to the next." },
    { name: "Computer", description: "A session's mouse, keyboard, clipboard and screen." },
    { name: "Live view", description: "A page to watch a session and take it over." },
    { name: "Files", description: "The files of a session's machine." },
    { name: "Processes", description: "What runs on a session's machine." },
    { name: "Playwright", description: "Code that runs beside a session's browser." },
    { name: "Apps", description: "Automation apps: deployments of them, and their invocations." },
    { name: "Organization", description: "The caller's own API keys and limits." },
    { name: "Operator", description: "For whoever runs the service, with ADMIN_TOKEN." },
  ],
};

/** What callers with an API key have, in the order of the documentation. */
const FEATURES = [
  browserSessionRoutes,
  browserPoolRoutes,
  proxyRoutes,
  extensionRoutes,
  profileRoutes,
  computerRoutes,
  liveViewRoutes,
  fileRoutes,
  processRoutes,
  playwrightRoutes,
  deploymentRoutes,
  invocationRoutes,
  invokeRoutes,
  organizationRoutes,
];

/** Made at the first call for it, and kept. */
let openAPI: ReturnType<typeof openAPIDocument> | undefined;

/** Every route of the service behind its one error edge. */
export const app = new Hono<{ Bindings: Env }>();

app.use(logRequest, jsonHeaders, limitFailedAuthentications, readBodyToEnd);
app.onError((error) => toErrorResponse(toServiceError(error)));
app.notFound((c) => {
  throw unknownRoute(c.req);
});

// Open to everybody.
app.get("/health", async (c) => {
  try {
    requireConfiguration(c.env);
    return c.json({ status: "ok" });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    logError("misconfigured", error.cause);
    const isTold = error.cause instanceof Error && (await isOperator(c.env, c.req.header("authorization")));
    const message = isTold ? String(error.cause) : error.message;
    return c.json({ status: "misconfigured", message }, 503, { "retry-after": "60" });
  }
});
app.get("/", (c) => c.redirect("/docs"));
app.get("/openapi.json", (c) => {
  openAPI ??= openAPIDocument();
  return c.json(openAPI);
});
app.route("/", documentationRoutes);

app.use(async (c, next) => {
  requireSecrets(c.env);
  await next();
});

// Open to whoever holds a session's signed URL.
app.route("/", cdpRoutes);
app.route("/", liveViewPageRoutes);

// The operator's.
const operatorRoutes = adminRoutes({
  // The pools first: they would replace what ends.
  endForsaken: async (env) => {
    await endForsakenPools(env);
    await failOrphanedInvocations(env);
    await endOrphanedSessions(env);
  },
});
app.use("/admin/*", authenticateOperator);
app.route("/", operatorRoutes);
app.all("/admin/*", (c) => {
  throw unknownRoute(c.req);
});

// Everything else wants an API key, unknown paths included.
const callerRoutes = newRouter<CallerEnv>();
callerRoutes.use(authenticateCaller(runKeys), restrictRunKeys, refuseProjects);
// First: what a leaked key has made is closed before the key is gone.
callerRoutes.delete("/org/api_keys/:id", async (c, next) => {
  const { organizationId, keyId } = requireAPIKey(c.var.caller);
  const apiKeyId = c.req.param("id");
  if (apiKeyId !== keyId) await revokeURLs(c.env, organizationId, { apiKeyId });
  await next();
});
// Before the others: some would be taken for the name of a thing.
for (const route of NOT_IMPLEMENTED_ROUTES) {
  const [method = "", path = ""] = route.split(" ");
  callerRoutes.on(method, path, () => {
    throw new ServiceError("not_implemented", `${route} is not implemented by this service`, {
      shouldRetry: false,
    });
  });
}
for (const routes of FEATURES) callerRoutes.route("/", routes);
app.route("/", callerRoutes);

/** Made at the first request that needs it, and kept. */
let knownPaths: KnownPaths | undefined;

/** 405 where the path is known with other methods, else 404. */
function unknownRoute({ method, path }: HonoRequest): ServiceError {
  knownPaths ??= new KnownPaths(app.routes);
  const allow = knownPaths.methodsOf(path);
  if (allow.length === 0) return notFound("route");
  const message = `${method} is not a method of this route, which has ${allow.join(", ")}`;
  return new ServiceError("method_not_allowed", message, { allow });
}

/** The OpenAPI document, made of the same schemas that validate. */
function openAPIDocument() {
  const document = newRouter();
  for (const routes of FEATURES) document.route("/", routes);
  document.route("/", operatorRoutes);
  document.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description: "An API key of an organization, or the key that the code of an invocation is given.",
  });
  document.openAPIRegistry.registerComponent("securitySchemes", "operatorToken", {
    type: "http",
    scheme: "bearer",
    description: "ADMIN_TOKEN of the deployment.",
  });
  return withOperationIds(document.getOpenAPI31Document(DOCUMENT));
}

/** What a caller is told about any failure; what it is not told is logged. */
function toServiceError(error: Error): ServiceError {
  if (error instanceof ServiceError) {
    if (error.cause !== undefined) logError("request_refused", error.cause);
    return error;
  }
  if (error instanceof HTTPException && error.status < 500) {
    return badRequest({ field: "", message: error.message });
  }
  logError("request_failed", error);
  if (isDatabaseError(error)) return serviceUnavailable("The database does not answer");
  if (isTransient(error)) return serviceUnavailable("The session or pool is being moved; try again");
  return new ServiceError("internal_error", "Something went wrong here", { cause: error });
}

/** Whether the platform says of an error that the same call may succeed in a moment, as while it deploys. */
function isTransient(error: Error): boolean {
  return (
    ("retryable" in error && error.retryable === true) || ("overloaded" in error && error.overloaded === true)
  );
}
