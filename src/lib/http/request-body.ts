import type { MiddlewareHandler } from "hono";

const BUFFER_BYTES = 64 * 1024;

/** Bodies whose rest is being read, because the work on them has failed. */
const discarded = new WeakMap<ReadableStream, Promise<void>>();

/**
 * Answers a refused request at once, but reads the rest of its body before the response ends: a client whose
 * connection closes while it sends does not see the response.
 */
export const readBodyToEnd: MiddlewareHandler = async (c, next) => {
  const { body } = c.req.raw;
  await next();
  if (body === null) return;
  const rest = body.locked ? discarded.get(body) : body.pipeTo(new WritableStream()).catch(() => undefined);
  if (rest === undefined) return;
  if (c.res.ok) await rest;
  else c.res = new Response(await endAfter(c.res, rest), c.res);
};

/** The length lets clients see the end of the content before the end of the stream. */
async function endAfter(response: Response, rest: Promise<void>): Promise<ReadableStream> {
  const content = new Uint8Array(await response.arrayBuffer());
  const { readable, writable } = new FixedLengthStream(content.length);
  const send = async () => {
    const writer = writable.getWriter();
    if (content.length > 0) await writer.write(content);
    await rest;
    await writer.close();
  };
  // The client has left.
  send().catch(() => undefined);
  return readable;
}

/** Gives `work` the body, then discards what is left. Does not delay an error; see {@link readBodyToEnd}. */
export async function withBody<T>(
  source: ReadableStream<Uint8Array> | null,
  work: (body: ReadableStream<Uint8Array>) => Promise<T>,
): Promise<T> {
  if (source === null) return work(new Blob([]).stream());
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const forwarded = forward(source, writer);
  const result = await work(readable).catch((error: unknown) => {
    // `work` has stopped reading.
    writer.abort(error).catch(() => undefined);
    discarded.set(source, forwarded);
    throw error;
  });
  // The holder of the lock ends the stream.
  if (!readable.locked) await readable.cancel();
  await forwarded;
  return result;
}

/** `pipeTo` would cancel the source when the destination closes. Never rejects. */
async function forward(
  source: ReadableStream<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
): Promise<void> {
  const reader = source.getReader({ mode: "byob" });
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
