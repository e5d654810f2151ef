import type { MiddlewareHandler } from "hono";
import { ServiceError } from "../../common/errors.ts";
import type { CallerEnv } from "../../organizations/index.ts";

/**
 * Whether the key of a run may be used for a call at all; which sessions are the run's the sessions know. What is not
 * named here is refused.
 */
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

/** Middleware: runs of apps, with keys of their own, go on only to what is open to them. */
export const restrictRunKeys: MiddlewareHandler<CallerEnv> = async (c, next) => {
  const { caller } = c.var;
  if (caller.scope === "invocation" && !isAllowedForRun(c.req.method, c.req.path, caller.invocationId)) {
    throw new ServiceError(
      "forbidden",
      "The key of an invocation opens its own browser sessions and the invocation itself, nothing else",
    );
  }
  await next();
};
