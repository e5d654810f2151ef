import type { MiddlewareHandler } from "hono";

/** Middleware: a JSON answer is stored by nobody, unless its route says otherwise, and taken for nothing else. */
export const jsonHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.headers.get("content-type")?.startsWith("application/json")) return;
  if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store");
  c.header("x-content-type-options", "nosniff");
};
