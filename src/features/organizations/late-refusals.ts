import type { MiddlewareHandler } from "hono";
import { pause } from "../../lib/common/concurrency.ts";
import { Spacer } from "../../lib/common/spacing.ts";
import type { CallerEnv } from "./caller.ts";

const refusals = new Spacer({ intervalMs: 50, freeMs: 1000, maxDelayMs: 5000 });

/** Delays 429 for organizations that get many from this isolate: instant retries would slow others down. */
export const answerRefusalsLate: MiddlewareHandler<{
  Bindings: Env;
  Variables: Partial<CallerEnv["Variables"]>;
}> = async (c, next) => {
  await next();
  const { caller } = c.var;
  if (c.res.status !== 429 || caller === undefined) return;
  const delayMs = refusals.add(caller.organizationId, Date.now());
  if (delayMs > 0) await pause(delayMs);
};
