import { toLazyStream } from "durable-machine/lazy-stream";

export type TextChunks = Iterable<string> | AsyncIterable<string>;

/** In UTF-16 units. */
const CHUNK_LENGTH = 64 * 1024;

/** Streams text. A throwing generator breaks the stream, so no client mistakes a part for the whole. */
export function streamText(chunks: TextChunks): ReadableStream<Uint8Array> {
  return toLazyStream(encodeChunks(chunks));
}

/** Encodes text chunks as UTF-8, joining small ones because each chunk has a cost. */
export async function* encodeChunks(chunks: TextChunks): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let buffered = "";
  for await (const text of chunks) {
    buffered += text;
    if (buffered.length < CHUNK_LENGTH) continue;
    yield encoder.encode(buffered);
    buffered = "";
  }
  if (buffered !== "") yield encoder.encode(buffered);
}
