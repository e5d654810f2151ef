import { type Context, Hono, type MiddlewareHandler } from "hono";
import { auth } from "hono/utils/basic-auth";
import { z } from "zod";
import { machineObject } from "../../features/machine/index.ts";
import { apiKeyOf, type CallerEnv } from "../../features/organizations/index.ts";
import {
  createSession,
  createSessionBodySchema,
  openSessionSocket,
  presentWithURLs,
  publicOrigin,
  sessionObject,
  type TokenScope,
  toWebSocketOrigin,
  urlTokens,
} from "../../features/sessions/index.ts";
import { parse, selectCapabilities, toAnswer, WebDriverError } from "../../features/webdriver/index.ts";
import { ServiceError } from "../../lib/common/errors.ts";
import { unwrap } from "../../lib/common/outcome.ts";
import { regionOfRequest } from "../../lib/common/regions.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { jsonBodyUpTo } from "../../lib/http/json-body.ts";
import { withBody } from "../../lib/http/request-body.ts";
import type { OpenFiles } from "../files/index.ts";
import { deleteDownloads, listDownloads, receiveFile, sendDownload } from "./files.ts";

const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** It is read before the sender is authenticated. */
const MAX_CAPABILITIES_BYTES = 64 * 1024;

const downloadSchema = z.object({ name: z.string() });

const optionsSchema = z.object({ "berth:options": createSessionBodySchema });

/** WebDriver BiDi, authenticated by the token of a signed URL. */
export const bidiRoutes = new Hono<CallerEnv>();

bidiRoutes.get("/webdriver/:id", async (c) =>
  openSocket(c, "/webdriver", await verify(c, c.req.param("id"), c.req.query("jwt") ?? "", "bidi")),
);

/**
 * WebDriver classic. The id of a session contains a signed token, which authenticates its commands, because
 * clients send nothing else when the API key is in the capabilities.
 *
 * @param authenticate authenticates the caller of `POST /session`.
 */
export function webDriverRoutes(...authenticate: MiddlewareHandler<CallerEnv>[]): Hono<CallerEnv> {
  const routes = new Hono<CallerEnv>();
  routes.onError((error, c) => toResponse(toErrorAnswer(error, c.req.path.endsWith("/session"))));
  // WebDriver has no rule for the content type, and clients send none or any.
  const bodyUpTo = (maxBytes: number) => jsonBodyUpTo(maxBytes, { requiresType: false });
  for (const path of ["/session", "/session/*"]) routes.use(path, refuseWebPages);
  routes.get("/status", () => toResponse(toAnswer({ ready: true, message: "Berth" })));
  routes.post("/session", bodyUpTo(MAX_CAPABILITIES_BYTES), readKey, ...authenticate, beginSession);
  routes.get("/session/:session_id", async (c) => openSocket(c, "/webdriver/begun", await verifySession(c)));
  routes.delete("/session/:session_id", async (c) => {
    const { id, grant } = await verifySession(c);
    unwrap(await sessionObject(c.env, id).endWebDriver(grant));
    return toResponse(toAnswer(null));
  });
  routes.on("POST", ["/session/:session_id/se/file", "/session/:session_id/file"], async (c) => {
    const open = await openFiles(c);
    return toResponse(toAnswer(await withBody(c.req.raw.body, (body) => receiveFile(open, body))));
  });
  const downloadsPath = "/session/:session_id/se/files";
  routes.get(downloadsPath, async (c) => toResponse(toAnswer(await listDownloads(await openFiles(c)))));
  routes.post(
    downloadsPath,
    async (c, next) => {
      await verifySession(c);
      await next();
    },
    bodyUpTo(MAX_BODY_BYTES),
    async (c) => {
      const { name } = parse(downloadSchema, await c.req.json());
      return toResponse({ status: 200, body: await sendDownload(await openFiles(c), name) });
    },
  );
  routes.delete(downloadsPath, async (c) => {
    await deleteDownloads(await openFiles(c));
    return toResponse(toAnswer(null));
  });
  const commandPath = "/session/:session_id/:command{.+}";
  routes.use(commandPath, async (c, next) => {
    await verifySession(c);
    await next();
  });
  routes.post(commandPath, bodyUpTo(MAX_BODY_BYTES));
  routes.on(["GET", "POST", "DELETE"], commandPath, async (c) => {
    const { id, grant } = await verifySession(c);
    const { method } = c.req;
    // Not decoded yet, because a parameter may contain a slash.
    const path = new URL(c.req.url).pathname.replace(/^.*?\/session\/[^/]+\//, "");
    const body: unknown = method === "POST" ? await c.req.json() : undefined;
    return toResponse(unwrap(await sessionObject(c.env, id).runWebDriver(grant, { method, path, body })));
  });
  return routes;
}

/** A browser may have stored the credentials of an address, which a foreign page could use. */
const refuseWebPages: MiddlewareHandler = async (c, next) => {
  if (c.req.header("origin") !== undefined) {
    throw new ServiceError("forbidden", "WebDriver cannot be used by web pages");
  }
  await next();
};

/** Passes the key on as a bearer token. */
const readKey: MiddlewareHandler<CallerEnv> = async (c, next) => {
  // That of `http://name:key@host/wd/hub`.
  const key = auth(c.req.raw)?.password ?? selectCapabilities(await c.req.json()).apiKey;
  if (key !== undefined) c.req.raw.headers.set("authorization", `Bearer ${key}`);
  await next();
};

async function beginSession(c: Context<CallerEnv>): Promise<Response> {
  const { settings, session, wantsBidi } = selectCapabilities(await c.req.json());
  const body = parse(optionsSchema, { "berth:options": session })["berth:options"];
  const { caller } = c.var;
  const apiKeyId = apiKeyOf(caller);
  const near = regionOfRequest(c.req.raw);
  const row = await createSession(c.env, { caller, apiKeyId, body, near, idempotencyKey: undefined });
  c.set("sessionId", row.id);
  const object = sessionObject(c.env, row.id);
  try {
    const grant = { lease: row.lease ?? undefined, generation: row.urlGeneration };
    const capabilities: object = JSON.parse(unwrap(await object.beginWebDriver(grant, settings)));
    const presented = await presentWithURLs(c.env, c.req, row, c.var.caller);
    const sessionId = `${row.id}.${await tokensOf(c.env).sign(row.id, "webdriver", grant)}`;
    const webSocketUrl = `${toWebSocketOrigin(publicOrigin(c.env, c.req))}/session/${sessionId}`;
    const own = {
      "berth:session": presented,
      "se:cdp": presented.cdp_ws_url,
      "se:downloadsEnabled": true,
    };
    return toResponse(
      toAnswer({ sessionId, capabilities: { ...capabilities, ...own, ...(wantsBidi && { webSocketUrl }) } }),
    );
  } catch (error) {
    // The client does not know the session.
    await object.end(caller, "deleted", apiKeyId);
    throw error;
  }
}

function verifySession(c: Context<CallerEnv>) {
  const [id = "", ...token] = (c.req.param("session_id") ?? "").split(".");
  return verify(c, id, token.join("."), "webdriver");
}

/** The files of the session's machine, for the bearer of its token. */
async function openFiles(c: Context<CallerEnv>): Promise<OpenFiles> {
  const { id: sessionId, grant } = await verifySession(c);
  const reach = unwrap(await sessionObject(c.env, sessionId).readReach(grant));
  return () => machineObject(c.env, sessionId).files({ ...reach, sessionId });
}

async function verify(c: Context<CallerEnv>, id: string, token: string, scope: TokenScope) {
  const grant = await tokensOf(c.env).verify(token, id, [scope]);
  c.set("sessionId", id);
  return { id, grant };
}

function openSocket(
  c: Context<CallerEnv>,
  path: string,
  { id, grant }: Awaited<ReturnType<typeof verify>>,
): Promise<Response> {
  if (c.req.header("upgrade")?.toLowerCase() !== "websocket") {
    throw new ServiceError("upgrade_required", "This address is a WebSocket: connect with a BiDi client");
  }
  return openSessionSocket(c.env, id, path, grant);
}

function tokensOf(env: Env) {
  return urlTokens(env, readSettings(env).tokenLifetimeMs);
}

/** Keeps the status of a refusal. */
function toErrorAnswer(error: Error, isNewSession: boolean): ReturnType<typeof toAnswer> {
  if (error instanceof WebDriverError) return error.toAnswer();
  if (error instanceof SyntaxError) return new WebDriverError("invalid argument", error.message).toAnswer();
  if (!(error instanceof ServiceError)) throw error;
  const { code, message, status } = error;
  const isOfSession = ["gone", "not_found", "unauthorized"].includes(code);
  const other = code === "bad_request" ? "invalid argument" : "unknown error";
  const name = isNewSession ? "session not created" : isOfSession ? "invalid session id" : other;
  return new WebDriverError(name, message).toAnswer(status);
}

function toResponse({ status, body }: { status: number; body: BodyInit }): Response {
  return new Response(body, { status, headers: { "content-type": "application/json; charset=utf-8" } });
}
