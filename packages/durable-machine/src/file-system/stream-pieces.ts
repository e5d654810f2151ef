const BUFFER_BYTES = 64 * 1024;

/**
 * What a stream gives, piece by piece. A piece is good until the next one is asked for: all of them come in one buffer,
 * because the platform's own pieces of 4 KiB leave more garbage behind than a large upload may take of memory. Whoever
 * stops before the end cancels the stream.
 */
export async function* piecesOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = byteReader(body);
  if (reader === undefined) {
    yield* body;
    return;
  }
  let isOver = false;
  let buffer = new ArrayBuffer(BUFFER_BYTES);
  try {
    while (true) {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done || value === undefined) break;
      yield value;
      buffer = value.buffer;
    }
    isOver = true;
  } finally {
    if (!isOver) void reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

/** Undefined for a stream that is none of bytes. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}
