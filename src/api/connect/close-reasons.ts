import type { HonoRequest, MiddlewareHandler } from "hono";
import { KnownPaths } from "../../lib/http/known-paths.ts";
import { isUpgrade } from "../../lib/http/upgrade.ts";
import { errorBodySchema } from "../../lib/http/wire-error.ts";
import { closeSocket } from "../../platform/browser/index.ts";
import { connectRoutes } from "./routes.ts";

/** The close code of a refusal is its status plus this. */
const FIRST_CODE = 4000;

/**
 * Tells web pages and Node's own WebSocket why a connect URL refused them: they see no responses, only close
 * reasons. It comes before all middleware that counts or logs the status of refusals.
 */
export const tellCloseReasons: MiddlewareHandler = async (c, next) => {
  await next();
  const { status } = c.res;
  if (status < 400 || !isUpgrade(c.req) || !seesNoResponses(c.req) || !isConnectPath(c.req.path)) return;
  const { message } = errorBodySchema.parse(await c.res.json());
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  closeSocket(server, FIRST_CODE + status, message);
  c.res = undefined;
  c.res = new Response(null, { status: 101, webSocket: client });
};

let paths: KnownPaths | undefined;

function isConnectPath(path: string): boolean {
  paths ??= new KnownPaths(connectRoutes.routes);
  return paths.methodsOf(path).length > 0;
}

function seesNoResponses(request: HonoRequest): boolean {
  return request.header("origin") !== undefined || request.header("sec-fetch-mode") === "websocket";
}
