import { type Context, Hono } from "hono";
import { type ErrorCode, notFound, ServiceError, unauthorized } from "../../common/errors.ts";
import { readSettings } from "../../common/settings.ts";
import type { ServiceMessage, ViewMode } from "../../live-view/index.ts";
import type { AddressGrant } from "../access.ts";
import { openSessionSocket } from "../stub.ts";
import { type TokenScope, urlTokens } from "./url-token.ts";
import { LIVE_VIEW_PATH, publicOrigin, toWebSocketOrigin } from "./urls.ts";

const SCOPES = ["live:control", "live:watch"] as const satisfies TokenScope[];

const FINAL_CODES = new Map<number, ErrorCode>([
  [401, "unauthorized"],
  [404, "not_found"],
  [410, "gone"],
]);

/** Assets are asked for by path alone. */
const ASSETS_ORIGIN = "https://assets.invalid";

interface LiveViewEnv {
  Bindings: Env;
  Variables: {
    /** For the log; set once the token is checked. */
    sessionId?: string;
  };
}

/** A session's live view, for people who hold its signed address: the page, its files and its socket. */
export const liveViewPageRoutes = new Hono<LiveViewEnv>();

// The page is the same for every session and tells nothing; its socket wants the token.
liveViewPageRoutes.get(`${LIVE_VIEW_PATH}/:id`, async (c) => {
  const page = await c.env.ASSETS.fetch(new URL("/live-view/index.html", ASSETS_ORIGIN));
  if (!page.ok) throw notFound("page");
  return new Response(page.body, { headers: pageHeaders(c) });
});

// The page itself is not among them: it is never without its headers.
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
    throw new ServiceError("forbidden", "A live view's socket is opened by its own page only");
  }
  const id = c.req.param("id");
  try {
    const { mode, grant } = await readGrant(c.env, id, c.req.query());
    c.set("sessionId", id);
    return await openViewer(c.env, id, mode, grant);
  } catch (error) {
    if (!(error instanceof ServiceError) || !isFinal(error)) throw error;
    return sayGoodbye(error.message);
  }
});

/** What the address lets its bearer do. `readOnly` takes from it and never adds. */
async function readGrant(
  env: Env,
  id: string,
  query: Record<string, string>,
): Promise<{ mode: ViewMode; grant: AddressGrant }> {
  if (query.jwt === undefined) throw unauthorized("This address wants its token (jwt) in the query");
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

/** Whether trying again could not help. */
function isFinal({ status }: ServiceError): boolean {
  return FINAL_CODES.has(status);
}

/** A script learns nothing of a refused upgrade: its page is told over a socket that says this and closes. */
function sayGoodbye(reason: string): Response {
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
