import type { Context, MiddlewareHandler } from "hono";
import { badRequest, ServiceError } from "../common/errors.ts";

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i;

const MAX_BODY_BYTES = 1024 * 1024;

/** An absent body means `{}`, with a content type (the Kernel SDK) or without one (curl). */
export const jsonBody = jsonBodyUpTo(MAX_BODY_BYTES);

/** @param options whether the content type must be one of JSON. */
export function jsonBodyUpTo(maxBytes: number, { requiresType = true } = {}): MiddlewareHandler {
  return async (c, next) => {
    const text = await readText(c.req.raw.body, maxBytes);
    if (requiresType && text.trim() !== "" && !JSON_TYPE.test(c.req.header("content-type") ?? "")) {
      throw badRequest({ field: "content-type", message: "the body must be sent as application/json" });
    }
    replaceBody(c, text);
    await next();
  };
}

function replaceBody(c: Context, text: string): void {
  const headers = new Headers(c.req.raw.headers);
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  const { url, method, signal } = c.req.raw;
  c.req.raw = new Request(url, { method, headers, body: text.trim() === "" ? "{}" : text, signal });
}

async function readText(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  // `readBodyToEnd` reads the rest of a refused body, so the stream must not be cancelled.
  for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new ServiceError("payload_too_large", `The body may have at most ${maxBytes} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
