import { type Context, Hono } from "hono";
import { type ErrorCode, notFound, ServiceError, unauthorized } from "../../common/errors.ts";
import { readSettings } from "../../common/settings.ts";
import type { ServiceMessage, ViewMode } from "../../live-view/index.ts";
import type { AddressGrant } from "../require-access.ts";
import { openSessionSocket } from "../stub.ts";
import { type TokenScope, urlTokens } from "./url-token.ts";
import { LIVE_VIEW_PATH, publicOrigin, toWebSocketOrigin } from "./urls.ts";

const SCOPES = ["live:control", "live:watch"] as const satisfies TokenScope[];

const FINAL_CODES = new Map<number, ErrorCode>([
  [401, "unauthorized"],
  [404, "not_found"],
  [410, "gone"],
]);

const ASSETS_ORIGIN = "https://assets.invalid";

interface LiveViewEnv {
  Bindings: Env;
  Variables: {
    sessionId?: string;
  };
}

/** The live view's page, assets and socket. A signed token authenticates the socket. */
export const liveViewPageRoutes = new Hono<LiveViewEnv>();

// The page is public; only its socket needs the token.
liveViewPageRoutes.get(`${LIVE_VIEW_PATH}/:id`, async (c) => {
  const page = await c.env.ASSETS.fetch(new URL("/live-view/index.html", ASSETS_ORIGIN));
  if (!page.ok) throw notFound("page");
  return new Response(page.body, { headers: pageHeaders(c) });
});

// Excludes index.html, which needs its own headers.
liveViewPageRoutes.get("/live-view/:file{[a-z]+\\.(?:js|css)}", async (c) => {
  const file = await c.env.ASSETS.fetch(new URL(`/live-view/${c.req.param("file")}`, ASSETS_ORIGIN));
  if (!file.ok) throw notFound("file");
  const headers = new Headers(file.headers);
  headers.set("x-content-type-options", "nosniff");
  return new Response(file.body, { headers });
});

liveViewPageRoutes.get(`${LIVE_VIEW_PATH}/:id/socket`, async (c) => {
  if (c.req.header("upgrade")?.toLowerCase() !== "websocket") {
    throw new ServiceError("upgrade_required", "This address is a WebSocket: open the live view's page");
  }
  const origins = [publicOrigin(c.env, c.req), new URL(c.req.url).origin];
  if (!origins.includes(c.req.header("origin") ?? "")) {
    throw new ServiceError("forbidden", "Only the live view's own page may open its socket");
  }
  const id = c.req.param("id");
  try {
    const { mode, grant } = await readGrant(c.env, id, c.req.query());
    c.set("sessionId", id);
    return await openViewer(c.env, id, mode, grant);
  } catch (error) {
    if (!(error instanceof ServiceError) || !isFinal(error)) throw error;
    return refuse(error.message);
  }
});

/** `readOnly` can only restrict the token's scope. */
async function readGrant(
  env: Env,
  id: string,
  query: Record<string, string>,
): Promise<{ mode: ViewMode; grant: AddressGrant }> {
  if (query.jwt === undefined) throw unauthorized("This address requires its token (jwt) in the query");
  const tokens = urlTokens(env, readSettings(env).tokenLifetimeMs);
  const grant = await tokens.verify(query.jwt, id, SCOPES);
  return { mode: grant.scope === "live:watch" || query.readOnly === "true" ? "watch" : "control", grant };
}

async function openViewer(env: Env, id: string, mode: ViewMode, grant: AddressGrant): Promise<Response> {
  const response = await openSessionSocket(env, id, `/live/${mode}`, grant);
  const code = FINAL_CODES.get(response.status);
  if (code === undefined) return response;
  const { message } = await response.json<{ message: string }>();
  throw new ServiceError(code, message);
}

function isFinal({ status }: ServiceError): boolean {
  return FINAL_CODES.has(status);
}

/** Scripts cannot read a refused upgrade, so the reason is sent over an accepted socket. */
function refuse(reason: string): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  server.send(JSON.stringify({ type: "ended", reason } satisfies ServiceMessage));
  server.close(1008, "refused");
  return new Response(null, { status: 101, webSocket: client });
}

function pageHeaders(c: Context<LiveViewEnv>): Record<string, string> {
  const { liveViewFrameAncestors } = readSettings(c.env);
  const socketOrigins = new Set([
    toWebSocketOrigin(publicOrigin(c.env, c.req)),
    toWebSocketOrigin(new URL(c.req.url).origin),
  ]);
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    `connect-src 'self' ${[...socketOrigins].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${liveViewFrameAncestors}`,
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
  };
}
