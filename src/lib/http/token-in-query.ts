import type { MiddlewareHandler } from "hono";

/** Accepts an API key as `?token=`, for clients that cannot set headers. The URL then no longer holds it. */
export const acceptTokenInQuery: MiddlewareHandler = async (c, next) => {
  const url = new URL(c.req.url);
  const token = url.searchParams.get("token");
  if (token !== null) {
    url.searchParams.delete("token");
    const request = new Request(url, c.req.raw);
    if (!request.headers.has("authorization")) request.headers.set("authorization", `Bearer ${token}`);
    c.req.raw = request;
  }
  await next();
};
