import type { MiddlewareHandler } from "hono";
import { requireLoader } from "../platform/dynamic-workers/index.ts";

/** Middleware: 501 without Dynamic Workers. */
export const requireDynamicWorkers: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  requireLoader(c.env);
  await next();
};
