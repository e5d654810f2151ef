/** Reads a byte stream in chunks of `bytes` bytes; the last may be shorter. */
export async function* readInChunks(
  stream: ReadableStream<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader({ mode: "byob" });
  try {
    for (;;) {
      const { value, done } = await reader.readAtLeast(bytes, new Uint8Array(bytes));
      if (value !== undefined && value.length > 0) yield value;
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}
