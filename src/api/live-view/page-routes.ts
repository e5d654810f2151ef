import { Hono } from "hono";
import type { ServiceMessage, ViewEndCause, ViewMode } from "../../features/live-view/index.ts";
import {
  type AddressGrant,
  LIVE_VIEW_PATH,
  openSessionSocket,
  publicOrigin,
  type TokenScope,
  toWebSocketOrigin,
  urlTokens,
} from "../../features/sessions/index.ts";
import { badRequest, type ErrorCode, ServiceError, unauthorized } from "../../lib/common/errors.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { staticFile, staticPage } from "../static-page.ts";

const SCOPES = ["live:control", "live:watch"] as const satisfies TokenScope[];

const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

const FINAL_CODES = new Map<number, ErrorCode>([
  [401, "unauthorized"],
  [404, "not_found"],
  [410, "gone"],
]);

interface LiveViewEnv {
  Bindings: Env;
  Variables: {
    sessionId?: string;
  };
}

/** The live view's page, assets, socket and files. A signed token authenticates the socket and the files. */
export const liveViewPageRoutes = new Hono<LiveViewEnv>();

// The page is public; only its socket needs the token.
liveViewPageRoutes.get(`${LIVE_VIEW_PATH}/:id`, (c) => {
  const socketOrigins = new Set([
    toWebSocketOrigin(publicOrigin(c.env, c.req)),
    toWebSocketOrigin(new URL(c.req.url).origin),
  ]);
  const sources = ["img-src 'self' blob: data:", `connect-src 'self' ${[...socketOrigins].join(" ")}`];
  return staticPage(c.env, "live-view", sources);
});

// Excludes index.html, which needs its own headers.
liveViewPageRoutes.get("/live-view/:file{[a-z]+\\.(?:js|css)}", (c) =>
  staticFile(c.env, `live-view/${c.req.param("file")}`),
);

liveViewPageRoutes.get(`${LIVE_VIEW_PATH}/:id/socket`, async (c) => {
  if (c.req.header("upgrade")?.toLowerCase() !== "websocket") {
    throw new ServiceError("upgrade_required", "This address is a WebSocket: open the live view's page");
  }
  const origins = [publicOrigin(c.env, c.req), new URL(c.req.url).origin];
  if (!origins.includes(c.req.header("origin") ?? "")) {
    throw new ServiceError("forbidden", "Only the live view's own page may open its socket");
  }
  const id = c.req.param("id");
  let cause: ViewEndCause = "link";
  try {
    const { mode, grant } = await readGrant(c.env, id, c.req.query());
    c.set("sessionId", id);
    cause = grant.handoff === undefined && grant.lease === undefined ? "session" : "use";
    return await openViewer(c.env, id, mode, grant);
  } catch (error) {
    if (!(error instanceof ServiceError) || !FINAL_CODES.has(error.status)) throw error;
    return refuse(error.message, error.status === 401 ? "link" : cause);
  }
});

// A file for a page's file chooser, or a download by its id. Without a name: the paths of the session's files.
liveViewPageRoutes.on(["GET", "PUT"], `${LIVE_VIEW_PATH}/:id/files/:name?`, async (c) => {
  const { id, name = "" } = c.req.param();
  const { mode, grant } = await readGrant(c.env, id, c.req.query());
  if (mode === "watch") throw new ServiceError("forbidden", "This address only allows watching");
  if (c.req.method === "PUT" && name === "") throw badRequest({ field: "name", message: "is required" });
  if (c.req.method === "PUT" && !(Number(c.req.header("content-length")) <= MAX_UPLOAD_BYTES)) {
    throw badRequest({ field: "", message: `a file may have at most ${MAX_UPLOAD_BYTES} bytes` });
  }
  c.set("sessionId", id);
  const path = `/files?${new URLSearchParams({ name })}`;
  return openSessionSocket(c.env, id, path, grant, { request: c.req.raw });
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

/** Scripts cannot read a refused upgrade, so the reason is sent over an accepted socket. */
function refuse(reason: string, cause: ViewEndCause): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  server.send(JSON.stringify({ type: "ended", cause, reason } satisfies ServiceMessage));
  server.close(1008, "refused");
  return new Response(null, { status: 101, webSocket: client });
}
