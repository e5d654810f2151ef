import { type Context, Hono } from "hono";
import { z } from "zod";
import { notFound, ServiceError, unauthorized } from "../../common/errors.ts";
import { unwrap } from "../../common/outcome.ts";
import { readSettings } from "../../common/settings.ts";
import type { AddressGrant } from "../require-access.ts";
import { openSessionSocket, sessionObject } from "../stub.ts";
import { urlTokens } from "./url-token.ts";
import { cdpPath, publicOrigin, toWebSocketOrigin } from "./urls.ts";

/** The browser's own URLs are internal and omitted. */
const targetSchema = z.object({
  id: z.string(),
  parentId: z.string().optional(),
  type: z.string(),
  title: z.string(),
  description: z.string().optional(),
  url: z.string(),
  faviconUrl: z.string().optional(),
});

interface CDPEnv {
  Bindings: Env;
  Variables: {
    sessionId?: string;
    grant: AddressGrant;
  };
}

/**
 * Authenticated by a signed token. Serves the browser's socket, sockets of single pages, and Chrome's JSON
 * documents.
 */
export const cdpRoutes = new Hono<CDPEnv>();

cdpRoutes.use("/cdp/:id/*", async (c, next) => {
  const token = c.req.query("jwt");
  if (token === undefined) throw unauthorized("This address requires its token (jwt) in the query");
  const tokens = urlTokens(c.env, readSettings(c.env).tokenLifetimeMs);
  c.set("grant", await tokens.verify(token, c.req.param("id"), ["cdp"]));
  c.set("sessionId", c.req.param("id"));
  await next();
});

cdpRoutes.get("/cdp/:id", (c) => openSocket(c, c.req.param("id"), "/"));

cdpRoutes.get("/cdp/:id/devtools/page/:pageId", (c) =>
  openSocket(c, c.req.param("id"), `/devtools/page/${encodeURIComponent(c.req.param("pageId"))}`),
);

// Playwright requests these paths with a trailing slash, other clients without.
cdpRoutes.get("/cdp/:id/json/version/", readVersion).get("/cdp/:id/json/version", readVersion);

cdpRoutes.get("/cdp/:id/json/protocol", async (c) => {
  const session = sessionObject(c.env, c.req.param("id"));
  const protocol = unwrap(await session.readDevToolsDocument("protocol", c.var.grant));
  return c.body(protocol, 200, { "content-type": "application/json" });
});

cdpRoutes.get("/cdp/:id/json/", listTargets).get("/cdp/:id/json", listTargets);
cdpRoutes.get("/cdp/:id/json/list/", listTargets).get("/cdp/:id/json/list", listTargets);

cdpRoutes.all("/cdp/:id/*", () => {
  throw notFound("DevTools address");
});

type SessionContext = Context<CDPEnv, "/cdp/:id">;

async function readVersion(c: SessionContext): Promise<Response> {
  const id = c.req.param("id");
  const version = await readDocument(c, id, "version", z.record(z.string(), z.unknown()));
  return c.json({ ...version, webSocketDebuggerUrl: socketURL(c, id) });
}

async function listTargets(c: SessionContext): Promise<Response> {
  const id = c.req.param("id");
  const targets = await readDocument(c, id, "list", z.array(targetSchema));
  return c.json(
    targets.map((target) => ({
      ...target,
      webSocketDebuggerUrl: socketURL(c, id, `/devtools/page/${target.id}`),
    })),
  );
}

async function openSocket(c: Context<CDPEnv>, sessionId: string, path: string): Promise<Response> {
  if (c.req.header("upgrade")?.toLowerCase() !== "websocket") {
    throw new ServiceError(
      "upgrade_required",
      "This address is a WebSocket: connect to it with a DevTools client",
    );
  }
  return openSessionSocket(c.env, sessionId, path, c.var.grant);
}

async function readDocument<T extends z.ZodType>(
  c: Context<CDPEnv>,
  sessionId: string,
  document: "version" | "list",
  schema: T,
): Promise<z.infer<T>> {
  const session = sessionObject(c.env, sessionId);
  const text = unwrap(await session.readDevToolsDocument(document, c.var.grant));
  return schema.parse(JSON.parse(text));
}

/** The public URL of a socket, with the token of this call. */
function socketURL(c: Context<CDPEnv>, sessionId: string, path = ""): string {
  const token = c.req.query("jwt") ?? "";
  return `${toWebSocketOrigin(publicOrigin(c.env, c.req))}${cdpPath(sessionId)}${path}?jwt=${encodeURIComponent(token)}`;
}
