import type { MiddlewareHandler } from "hono";

const BUFFER_BYTES = 64 * 1024;

/**
 * Reads the rest of a refused request's body: a client whose connection closes while it sends does not see
 * the response.
 */
export const readBodyToEnd: MiddlewareHandler = async (c, next) => {
  const { body } = c.req.raw;
  await next();
  if (body !== null && !body.locked) await body.pipeTo(new WritableStream()).catch(() => undefined);
};

/** Gives `work` the request's body as a stream, then discards the part that `work` has not read. */
export async function withBody<T>(
  source: ReadableStream<Uint8Array> | null,
  work: (body: ReadableStream<Uint8Array>) => Promise<T>,
): Promise<T> {
  if (source === null) return work(new Blob([]).stream());
  const { readable, writable } = new IdentityTransformStream();
  const forwarded = forward(source, writable);
  try {
    return await work(readable);
  } finally {
    // The holder of the lock ends the stream.
    if (!readable.locked) await readable.cancel();
    await forwarded;
  }
}

/** `pipeTo` would cancel the source when the destination closes. Never rejects. */
async function forward(source: ReadableStream<Uint8Array>, destination: WritableStream): Promise<void> {
  const reader = source.getReader({ mode: "byob" });
  const writer = destination.getWriter();
  let isOpen = true;
  writer.closed.catch(() => {
    isOpen = false;
  });
  let buffer = new ArrayBuffer(BUFFER_BYTES);
  try {
    while (true) {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done || value === undefined) break;
      if (isOpen) {
        await writer.write(value).catch(() => {
          isOpen = false;
        });
      }
      buffer = value.buffer;
    }
    if (isOpen) await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
  }
}
