/** A stream that passes on at most so many bytes, and fails with more. */
export function byteLimit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new Error(`The answer has more than ${maxBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
}
