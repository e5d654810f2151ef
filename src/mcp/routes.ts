import { type Context, Hono, type MiddlewareHandler } from "hono";
import { notFound } from "../common/errors.ts";
import { isIdentifier, newIdentifier } from "../common/identifiers.ts";
import { jsonBodyUpTo } from "../http/json-body.ts";
import { type CallerEnv, requireAPIKey } from "../organizations/index.ts";
import { OWNER_HEADER, type SessionOwner } from "./object.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Accepts an API key as `?token=`, for MCP clients that cannot set headers. From here on the URL does not hold it. */
export const acceptTokenInQuery: MiddlewareHandler = async (c, next) => {
  const url = new URL(c.req.url);
  const token = url.searchParams.get("token");
  if (token !== null) {
    url.searchParams.delete("token");
    const request = new Request(url, c.req.raw);
    if (!request.headers.has("authorization")) request.headers.set("authorization", `Bearer ${token}`);
    c.req.raw = request;
  }
  await next();
};

/**
 * Streamable HTTP of the Model Context Protocol. The server sends nothing unasked, so it offers no stream by GET.
 * A browser's page on another origin cannot use it without the key, because there are no cookies and no CORS headers.
 */
export const mcpRoutes = new Hono<CallerEnv>()
  .post("/mcp", jsonBodyUpTo(MAX_BODY_BYTES), serve)
  .delete("/mcp", serve);

async function serve(c: Context<CallerEnv>): Promise<Response> {
  const { organizationId, keyId } = requireAPIKey(c.var.caller);
  const id = c.req.header("mcp-session-id") ?? newIdentifier();
  if (!isIdentifier(id)) throw notFound("MCP session");
  const owner: SessionOwner = { id, organizationId, keyId };
  const request = new Request(c.req.raw);
  request.headers.set(OWNER_HEADER, JSON.stringify(owner));
  return c.env.MCP_SESSION.getByName(id).fetch(request);
}
