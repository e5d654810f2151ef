import type { MiddlewareHandler } from "hono";
import { ServiceError } from "../common/errors.ts";
import { logError } from "../common/log.ts";
import { toErrorResponse } from "../http/wire-error.ts";

/** The period of the limit in wrangler.toml. */
const PERIOD_SECONDS = 60;

/**
 * Middleware: an address that has failed to authenticate too often is told so instead of why it failed. The platform
 * counts per location, and not exactly.
 */
export const limitFailedAuthentications: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  await next();
  // Cloudflare sets it, and no client can. Locally there is none.
  const address = c.req.header("cf-connecting-ip");
  if (c.res.status !== 401 || address === undefined) return;
  const outcome = await c.env.FAILED_AUTHENTICATIONS.limit({ key: address }).catch((error: unknown) =>
    logError("failed_authentications_not_counted", error),
  );
  if (outcome?.success !== false) return;
  const error = new ServiceError("too_many_requests", "Too many failed authentications from this address", {
    retryAfterSeconds: PERIOD_SECONDS,
  });
  c.res = undefined;
  c.res = toErrorResponse(error);
};
