import type { MiddlewareHandler } from "hono";

/** Middleware that keeps JSON responses out of caches and content sniffing. */
export const jsonHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.headers.get("content-type")?.startsWith("application/json")) return;
  if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store");
  c.header("x-content-type-options", "nosniff");
};
