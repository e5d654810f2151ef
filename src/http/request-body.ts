import type { MiddlewareHandler } from "hono";

const BUFFER_BYTES = 64 * 1024;

/**
 * Middleware that reads what nobody has read of a request's body, because the request is refused: a client whose
 * connection is closed while it sends does not see the answer.
 */
export const readBodyToEnd: MiddlewareHandler = async (c, next) => {
  const { body } = c.req.raw;
  await next();
  if (body !== null && !body.locked) await body.pipeTo(new WritableStream()).catch(() => undefined);
};

/**
 * Lets work read a request's body as a stream. What work leaves of it, because it refuses the request, is read and
 * forgotten before the answer goes out, as {@link readBodyToEnd} does.
 */
export async function withBody<T>(
  source: ReadableStream<Uint8Array> | null,
  work: (body: ReadableStream<Uint8Array>) => Promise<T>,
): Promise<T> {
  if (source === null) return work(new Blob([]).stream());
  const { readable, writable } = new IdentityTransformStream();
  const passed = passOn(source, writable);
  try {
    return await work(readable);
  } finally {
    // What work has not passed on is still open; what it has was ended by whoever took it.
    if (!readable.locked) await readable.cancel();
    await passed;
  }
}

/**
 * Reads a body to its end, whether or not it is wanted to its end. The platform's own piping would end the source with
 * the destination. Never rejects: a body that breaks off breaks the destination.
 */
async function passOn(source: ReadableStream<Uint8Array>, destination: WritableStream): Promise<void> {
  const reader = source.getReader({ mode: "byob" });
  const writer = destination.getWriter();
  let isWanted = true;
  writer.closed.catch(() => {
    isWanted = false;
  });
  let buffer = new ArrayBuffer(BUFFER_BYTES);
  try {
    while (true) {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done || value === undefined) break;
      if (isWanted) {
        await writer.write(value).catch(() => {
          isWanted = false;
        });
      }
      buffer = value.buffer;
    }
    if (isWanted) await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
  }
}
