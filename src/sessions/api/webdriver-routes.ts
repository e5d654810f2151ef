import { type Context, Hono, type MiddlewareHandler } from "hono";
import { describeProblem, type ErrorCode, ServiceError, unauthorized } from "../../common/errors.ts";
import { unwrap } from "../../common/outcome.ts";
import { readSettings } from "../../common/settings.ts";
import { toProblem } from "../../http/issue-messages.ts";
import { jsonBodyUpTo } from "../../http/json-body.ts";
import { apiKeyOf, type CallerEnv } from "../../organizations/index.ts";
import {
  newSessionSchema,
  selectCapabilities,
  toAnswer,
  type WebDriverAnswer,
  WebDriverError,
  type WebDriverErrorCode,
} from "../../webdriver/index.ts";
import { openSessionSocket, sessionObject } from "../stub.ts";
import { createSession } from "./create-session.ts";
import { createSessionBodySchema } from "./schema.ts";
import { urlTokens } from "./url-token.ts";
import { presentWithURLs, publicOrigin, toWebSocketOrigin } from "./urls.ts";

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** `http://name:key@host/wd/hub` */
const BASIC = /^Basic +([\w+/=]+)$/i;

type WebDriverContext = Context<CallerEnv>;

export const bidiRoutes = new Hono<CallerEnv>();

bidiRoutes.get("/webdriver/:id", async (c) => {
  requireUpgrade(c);
  const id = c.req.param("id");
  const token = c.req.query("jwt");
  if (token === undefined) throw unauthorized("This address requires its token (jwt) in the query");
  const grant = await urlTokens(c.env, readSettings(c.env).tokenLifetimeMs).verify(token, id, ["bidi"]);
  c.set("sessionId", id);
  return openSessionSocket(c.env, id, "/webdriver", grant);
});

/**
 * WebDriver classic. A session's id contains a signed token, which authenticates its commands, because clients send
 * nothing else when the API key is in the capabilities.
 *
 * @param authenticate authenticates the caller of `POST /session`.
 */
export function webDriverRoutes(...authenticate: MiddlewareHandler<CallerEnv>[]): Hono<CallerEnv> {
  const routes = new Hono<CallerEnv>();
  routes.onError((error, c) => toResponse(toError(error, c)));
  // A browser might have stored the credentials of an address, which a foreign page could use then.
  for (const path of ["/session", "/session/*"])
    routes.use(path, refuseOrigins, jsonBodyUpTo(MAX_BODY_BYTES));
  routes.get("/status", () => toResponse(toAnswer({ ready: true, message: "Berth" })));
  routes.post("/session", readKey, ...authenticate, newSession);
  routes.get("/session/:id", async (c) => {
    requireUpgrade(c);
    const { id, grant } = await readGrant(c, c.req.param("id"));
    return openSessionSocket(c.env, id, "/webdriver/begun", grant);
  });
  routes.delete("/session/:id", async (c) => {
    const { id, grant } = await readGrant(c, c.req.param("id"));
    unwrap(await sessionObject(c.env, id).endWebDriver(grant));
    return toResponse(toAnswer(null));
  });
  routes.on(["GET", "POST", "DELETE"], "/session/:id/:command{.+}", async (c) => {
    const { id, grant } = await readGrant(c, c.req.param("id"));
    const { method } = c.req;
    const path = c.req.path.replace(/^.*?\/session\/[^/]+\//, "");
    const body = method === "POST" ? await readJSON(c) : undefined;
    return toResponse(unwrap(await sessionObject(c.env, id).runWebDriver(grant, { method, path, body })));
  });
  return routes;
}

const refuseOrigins: MiddlewareHandler = async (c, next) => {
  if (c.req.header("origin") !== undefined) {
    throw new ServiceError("forbidden", "WebDriver cannot be used by web pages");
  }
  await next();
};

/** Passes the key on as a bearer token. */
const readKey: MiddlewareHandler<CallerEnv> = async (c, next) => {
  const basic = BASIC.exec(c.req.header("authorization") ?? "")?.[1];
  const key = basic === undefined ? readCapabilities(await readJSON(c)).apiKey : passwordOf(basic);
  if (key !== undefined) {
    const headers = new Headers(c.req.raw.headers);
    headers.set("authorization", `Bearer ${key}`);
    c.req.raw = new Request(c.req.raw, { headers });
  }
  await next();
};

async function newSession(c: WebDriverContext): Promise<Response> {
  const { settings, session, wantsBidi } = readCapabilities(await readJSON(c));
  const parsed = createSessionBodySchema.safeParse(session);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `berth:options.${describeProblem(toProblem(issue))}`);
    throw new WebDriverError("invalid argument", problems.join("; "));
  }
  const { caller } = c.var;
  const apiKeyId = apiKeyOf(caller);
  const row = await createSession(c.env, { caller, apiKeyId, body: parsed.data, idempotencyKey: undefined });
  c.set("sessionId", row.id);
  const grant = { lease: row.lease ?? undefined, generation: row.urlGeneration };
  const begun = await sessionObject(c.env, row.id).beginWebDriver(grant, settings);
  if (!begun.ok) await sessionObject(c.env, row.id).end(caller, "deleted", apiKeyId);
  const [presented, token] = await Promise.all([
    presentWithURLs(c.env, c.req, row),
    urlTokens(c.env, readSettings(c.env).tokenLifetimeMs).sign(row.id, "webdriver", grant),
  ]);
  const sessionId = `${row.id}.${token}`;
  const capabilities = {
    ...JSON.parse(unwrap(begun)),
    "berth:session": presented,
    "se:cdp": presented.cdp_ws_url,
    webSocketUrl: wantsBidi
      ? `${toWebSocketOrigin(publicOrigin(c.env, c.req))}/session/${sessionId}`
      : undefined,
  };
  return toResponse(toAnswer({ sessionId, capabilities }));
}

async function readGrant(c: WebDriverContext, sessionId: string) {
  const [id = "", ...token] = sessionId.split(".");
  const tokens = urlTokens(c.env, readSettings(c.env).tokenLifetimeMs);
  const grant = await tokens.verify(token.join("."), id, ["webdriver"]);
  c.set("sessionId", id);
  return { id, grant };
}

function readCapabilities(body: unknown) {
  const parsed = newSessionSchema.safeParse(body);
  if (parsed.success) return selectCapabilities(parsed.data);
  throw new WebDriverError(
    "invalid argument",
    parsed.error.issues.map(toProblem).map(describeProblem).join("; "),
  );
}

async function readJSON(c: WebDriverContext): Promise<unknown> {
  return c.req.json().catch(() => {
    throw new WebDriverError("invalid argument", "the body is not JSON");
  });
}

function passwordOf(basic: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(basic)).replace(/^[^:]*:/, "");
  } catch {
    return undefined;
  }
}

function requireUpgrade(c: WebDriverContext): void {
  if (c.req.header("upgrade")?.toLowerCase() === "websocket") return;
  throw new ServiceError(
    "upgrade_required",
    "This address is a WebSocket: connect to it with a WebDriver BiDi client",
  );
}

const ERRORS: Partial<Record<ErrorCode, WebDriverErrorCode>> = {
  bad_request: "invalid argument",
  gone: "invalid session id",
  not_found: "invalid session id",
  unauthorized: "invalid session id",
};

/** The status of a refusal stays. */
function toError(error: Error, c: WebDriverContext): WebDriverAnswer {
  if (error instanceof WebDriverError) return error.toAnswer();
  if (!(error instanceof ServiceError)) throw error;
  const isNew = c.req.path.endsWith("/session") && error.code !== "bad_request";
  const code = isNew ? "session not created" : (ERRORS[error.code] ?? "unknown error");
  return new WebDriverError(code, error.message).toAnswer(error.status);
}

function toResponse({ status, body }: WebDriverAnswer): Response {
  const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "no-cache" };
  return new Response(body, { status, headers });
}
