import type { MiddlewareHandler } from "hono";
import type { CallerEnv } from "../features/organizations/index.ts";
import { sessionObject } from "../features/sessions/index.ts";
import { matchedRoute } from "../lib/http/request-log.ts";
import { describeUnknownFields } from "../lib/http/unknown-fields.ts";

/** Reading events must not create new ones. */
const UNRECORDED = /\/(telemetry|logs)\//;

/** Records the API calls of a session in its telemetry, after their response. */
export function recordCalls(
  operationIdOf: (method: string, route: string) => string | undefined,
): MiddlewareHandler<CallerEnv> {
  return async (c, next) => {
    const startedAt = Date.now();
    await next();
    const { caller, sessionId, consoleSession, unknownFields } = c.var;
    // Looking at a session in the console must not create events.
    if (consoleSession !== undefined && c.req.method === "GET") return;
    const route = matchedRoute(c) ?? "";
    const operationId = operationIdOf(c.req.method, route);
    if (sessionId === undefined || operationId === undefined || UNRECORDED.test(route)) return;
    const recording = sessionObject(c.env, sessionId).recordCall(caller, {
      operation_id: operationId,
      request_id: c.req.header("cf-ray") ?? crypto.randomUUID(),
      status: c.res.status,
      duration_ms: Date.now() - startedAt,
      ...(unknownFields && { unknown_fields: describeUnknownFields(unknownFields) }),
    });
    c.executionCtx.waitUntil(recording.catch(() => undefined));
  };
}
