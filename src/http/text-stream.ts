import { streamOf } from "../archives/stream-of.ts";

/** Parts of one text. */
export type Texts = Iterable<string> | AsyncIterable<string>;

/** What is sent at a time, in UTF-16 units. */
const PIECE_LENGTH = 64 * 1024;

/**
 * Texts as the body of an answer, made while it is read. A generator that throws breaks the stream, so that no client
 * takes a part for the whole.
 */
export function streamText(texts: Texts): ReadableStream<Uint8Array> {
  return streamOf(inPieces(texts));
}

/** Texts in UTF-8. Small ones are put together, as each piece that is sent has its price. */
export async function* inPieces(texts: Texts): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let piece = "";
  for await (const text of texts) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield encoder.encode(piece);
    piece = "";
  }
  if (piece !== "") yield encoder.encode(piece);
}
