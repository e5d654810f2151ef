import type { MiddlewareHandler } from "hono";
import type { CallerEnv } from "../features/organizations/index.ts";
import { ServiceError } from "../lib/common/errors.ts";

/** Whether the key of a run allows a call. The sessions check which of them belong to the run. */
export function isAllowedForRun(method: string, path: string, invocationId: string): boolean {
  if (path.startsWith("/browsers/")) return true;
  const own = `/invocations/${invocationId}`;
  const methods: Record<string, readonly string[] | undefined> = {
    "/browsers": ["GET", "POST"],
    [own]: ["GET", "PATCH"],
    [`${own}/events`]: ["GET"],
    [`${own}/browsers`]: ["GET", "DELETE"],
  };
  return methods[path]?.includes(method) ?? false;
}

/**
 * Middleware: 403 for calls that the key of a run does not allow.
 *
 * @example
 * routes.use(authenticateCaller(runKeys), restrictRunKeys);
 */
export const restrictRunKeys: MiddlewareHandler<CallerEnv> = async (c, next) => {
  const { caller } = c.var;
  if (caller.scope === "invocation" && !isAllowedForRun(c.req.method, c.req.path, caller.invocationId)) {
    throw new ServiceError(
      "forbidden",
      "The key of an invocation gives access only to the invocation and its browser sessions",
    );
  }
  await next();
};
