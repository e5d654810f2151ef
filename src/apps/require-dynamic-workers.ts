import type { MiddlewareHandler } from "hono";
import { requireLoader } from "../dynamic-workers/index.ts";

/** Middleware: what apps need Dynamic Workers for is refused with 501 where there are none. */
export const requireDynamicWorkers: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  requireLoader(c.env);
  await next();
};
