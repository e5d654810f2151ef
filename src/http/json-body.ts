import type { Context, MiddlewareHandler } from "hono";
import { badRequest, ServiceError } from "../common/errors.ts";

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i;

/** No JSON body comes near it, apart from those of routes that say so. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Middleware of routes that take JSON. Clients leave an optional body out, yet name its type (the Kernel SDK)
 * or not (curl): both mean `{}`. A body of another type is refused, never read as if it were empty.
 */
export const jsonBody = jsonBodyUpTo(MAX_BODY_BYTES);

/** As {@link jsonBody}, for bodies of up to that many bytes. */
export function jsonBodyUpTo(largestBytes: number): MiddlewareHandler {
  return async (c, next) => {
    replaceBody(c, await readText(c.req.raw.body, largestBytes));
    await next();
  };
}

/** Lets what comes after read the text that was read. */
function replaceBody(c: Context, text: string): void {
  const isEmpty = text.trim() === "";
  if (!isEmpty && !JSON_TYPE.test(c.req.header("content-type") ?? "")) {
    throw badRequest({ field: "content-type", message: "the body must be sent as application/json" });
  }
  const headers = new Headers(c.req.raw.headers);
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  const { url, method, signal } = c.req.raw;
  c.req.raw = new Request(url, { method, headers, body: isEmpty ? "{}" : text, signal });
}

/** @throws ServiceError 413 as soon as the body is known to be too large. */
async function readText(body: ReadableStream<Uint8Array> | null, largestBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  // What is left of a body that is too large is read elsewhere: its stream is not to be cancelled.
  for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
    bytes += chunk.byteLength;
    if (bytes > largestBytes) {
      throw new ServiceError("payload_too_large", `The body may have at most ${largestBytes} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
