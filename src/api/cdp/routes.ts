import { type Context, Hono } from "hono";
import { z } from "zod";
import {
  type AddressGrant,
  cdpPath,
  NO_ANSWER,
  openSessionSocket,
  publicOrigin,
  sessionObject,
  toWebSocketOrigin,
  urlTokens,
} from "../../features/sessions/index.ts";
import { notFound, serviceUnavailable, unauthorized } from "../../lib/common/errors.ts";
import { unwrap } from "../../lib/common/outcome.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { requireUpgrade } from "../../lib/http/upgrade.ts";
import { bindingOf } from "../../platform/broker/index.ts";
import { type DevToolsDocument, readDevToolsDocument } from "../../platform/browser/index.ts";

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

const versionSchema = z.record(z.string(), z.unknown());

interface CDPEnv {
  Bindings: Env;
  Variables: {
    sessionId?: string;
    grant: AddressGrant;
  };
}

/** Sockets of the browser and single pages, and Chrome's JSON documents, authenticated by a signed token. */
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
for (const slash of ["", "/"]) {
  cdpRoutes.get(`/cdp/:id/json/version${slash}`, (c) => answerDocument(c, "version"));
  cdpRoutes.get(`/cdp/:id/json/protocol${slash}`, (c) => answerDocument(c, "protocol"));
  cdpRoutes.get(`/cdp/:id/json${slash}`, (c) => answerDocument(c, "list"));
  cdpRoutes.get(`/cdp/:id/json/list${slash}`, (c) => answerDocument(c, "list"));
}

cdpRoutes.all("/cdp/:id/*", () => {
  throw notFound("DevTools address");
});

/** Responds with one of Chrome's documents for a session. Its URLs contain the token of this call. */
function answerDocument(c: Context<CDPEnv>, document: DevToolsDocument): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const token = c.req.query("jwt") ?? "";
  const url = `${toWebSocketOrigin(publicOrigin(c.env, c.req))}${cdpPath(id)}?jwt=${encodeURIComponent(token)}`;
  return readDevTools(c.env, document, { id, url, grant: c.var.grant });
}

/** One of Chrome's documents, with public URLs. @param session `cdp_ws_url` and what the caller may reach. */
export async function readDevTools(
  env: Env,
  document: DevToolsDocument,
  { id, url, grant }: { id: string; url: string; grant: AddressGrant },
): Promise<Response> {
  // Not in the session's object, whose sockets may not survive the reading of a large answer.
  const browserId = unwrap(await sessionObject(env, id).readBrowserId(grant));
  const text = await readDevToolsDocument(bindingOf(env, browserId), browserId, document).catch((error) => {
    throw serviceUnavailable(NO_ANSWER, 1, error);
  });
  if (document === "protocol") return new Response(text, { headers: { "content-type": "application/json" } });
  if (document === "version")
    return Response.json({ ...versionSchema.parse(JSON.parse(text)), webSocketDebuggerUrl: url });
  const targets = z.array(targetSchema).parse(JSON.parse(text));
  const openable = new Set(await sessionObject(env, id).selectOpenable(targets.map((target) => target.url)));
  const shown = targets.filter((target) => openable.has(target.url));
  return Response.json(shown.map((target) => ({ ...target, webSocketDebuggerUrl: pageURL(url, target.id) })));
}

function pageURL(sessionURL: string, pageId: string): string {
  const url = new URL(sessionURL);
  url.pathname += `/devtools/page/${pageId}`;
  return url.href;
}

function openSocket(c: Context<CDPEnv>, sessionId: string, path: string): Promise<Response> {
  requireUpgrade(c.req);
  const skipsHungTabs = c.req.query("skip_hung_tabs") === "true";
  return openSessionSocket(c.env, sessionId, path, c.var.grant, { skipsHungTabs });
}
