import type { MiddlewareHandler } from "hono";
import { ServiceError } from "../../lib/common/errors.ts";
import { logError } from "../../lib/common/log.ts";
import { toErrorResponse } from "../../lib/http/wire-error.ts";

/** Equals the period of the limit in wrangler.toml. */
const PERIOD_SECONDS = 60;

/** Answers 429 instead of 401 to an address with too many failures. Counts are approximate, per location. */
export const limitFailedAuthentications: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  await next();
  // Cloudflare sets this header and clients cannot forge it. The local runtime has none.
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
