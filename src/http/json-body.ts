import type { MiddlewareHandler } from "hono";
import { badRequest, ServiceError } from "./errors.ts";

const JSON_TYPE = /^application\/([a-z-.]+\+)?json\b/i;

/** No JSON body of this API comes near it; in characters. */
const LARGEST_BODY = 1024 * 1024;

/**
 * Middleware of routes that take JSON. Clients leave an optional body out, yet name its type (the Kernel SDK)
 * or not (curl): both mean `{}`. A body of another type is refused, never read as if it were empty.
 */
export const jsonBody: MiddlewareHandler = async (c, next) => {
  if (Number(c.req.header("content-length")) > LARGEST_BODY) throw tooLarge();
  const text = await c.req.text();
  if (text.length > LARGEST_BODY) throw tooLarge();
  if (text.trim() === "") {
    const headers = new Headers(c.req.raw.headers);
    headers.set("content-type", "application/json");
    headers.delete("content-length");
    c.req.bodyCache = {};
    c.req.raw = new Request(c.req.raw.url, { method: c.req.method, headers, body: "{}" });
  } else if (!JSON_TYPE.test(c.req.header("content-type") ?? "")) {
    throw badRequest({ field: "content-type", message: "the body must be sent as application/json" });
  }
  await next();
};

function tooLarge(): ServiceError {
  return new ServiceError("payload_too_large", `The body may have at most ${LARGEST_BODY} characters`);
}
