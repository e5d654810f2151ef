import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { writeDataPoint } from "../common/analytics.ts";
import { ServiceError } from "../common/errors.ts";
import { logEvent } from "../common/log.ts";
import { presentUnknownFields, type UnknownFieldsVariables } from "./unknown-fields.ts";

interface LoggedVariables extends UnknownFieldsVariables {
  caller?: { organizationId: string };
  sessionId?: string;
}

/** Logs one line per request, with the route's pattern: the URL may hold a token. */
export const logRequest: MiddlewareHandler<{ Bindings: Env; Variables: LoggedVariables }> = async (
  c,
  next,
) => {
  const startedAt = Date.now();
  await next();
  const request = {
    method: c.req.method,
    route: matchedRoute(c) ?? "unmatched",
    status: c.res.status,
    duration_ms: Date.now() - startedAt,
    organization_id: c.get("caller")?.organizationId,
    session_id: c.get("sessionId"),
    unknown_fields: c.var.unknownFields && presentUnknownFields(c.var.unknownFields),
    error: c.error instanceof ServiceError ? c.error.code : c.error && "internal_error",
  };
  logEvent("request", request);
  const { method, route, status, duration_ms, organization_id = null, error = null } = request;
  writeDataPoint(c.env, {
    indexes: [organization_id],
    blobs: ["request", `${method} ${route}`, organization_id, error],
    doubles: [duration_ms / 1000, status],
  });
};

/** The pattern of the route that served a request, such as `/browsers/:id`. */
export function matchedRoute(c: Context): string | undefined {
  return matchedRoutes(c)
    .map(({ path }) => path)
    .findLast((path) => !path.endsWith("*"));
}
