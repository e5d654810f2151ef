import { type Context, Hono } from "hono";
import { type CallerEnv, requireAPIKey } from "../../features/organizations/index.ts";
import { notFound } from "../../lib/common/errors.ts";
import { isIdentifier, newIdentifier } from "../../lib/common/identifiers.ts";
import { placedIn, regionOfRequest } from "../../lib/common/regions.ts";
import { jsonBodyUpTo } from "../../lib/http/json-body.ts";
import { OWNER_HEADER, type SessionOwner } from "./object.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * MCP's Streamable HTTP. The server sends nothing unasked, so it offers no stream by GET. A browser's page on
 * another origin cannot use it without the key, because there are no cookies and no CORS headers.
 */
export const mcpRoutes = new Hono<CallerEnv>()
  .post("/mcp", jsonBodyUpTo(MAX_BODY_BYTES), serve)
  .delete("/mcp", serve);

async function serve(c: Context<CallerEnv>): Promise<Response> {
  const { organizationId, projectId, keyId } = requireAPIKey(c.var.caller);
  const id = c.req.header("mcp-session-id") ?? newIdentifier();
  if (!isIdentifier(id)) throw notFound("MCP session");
  const owner: SessionOwner = { id, organizationId, projectId, keyId };
  const request = new Request(c.req.raw);
  request.headers.set(OWNER_HEADER, JSON.stringify(owner));
  return c.env.MCP_SESSION.getByName(id, placedIn(regionOfRequest(c.req.raw))).fetch(request);
}
