import { pipeline } from "node:stream";
import { createDeflateRaw, createInflateRaw, type Transform } from "node:zlib";
import { ArchiveError } from "./archive-error.ts";

/** The most that comes out at once, in bytes. */
const CHUNK_BYTES = 64 * 1024;

/*
 * Node's streams, because the platform's CompressionStream and DecompressionStream take whatever they are given at
 * once and hold all of the result: of 64 KiB of a zip bomb, 64 MiB. These wait until their output is read.
 */

export function deflate(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return through(content, createDeflateRaw({ chunkSize: CHUNK_BYTES }));
}

/** @throws ArchiveError where the bytes are none that `deflate` could have made, or end too early. */
export async function* inflate(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* through(content, createInflateRaw({ chunkSize: CHUNK_BYTES }));
  } catch (error) {
    throw isZlibError(error) ? new ArchiveError("its compressed content is damaged") : error;
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}

function through(content: AsyncIterable<Uint8Array>, transform: Transform): AsyncIterable<Uint8Array> {
  // A failure is told to whoever reads.
  return pipeline(content, transform, () => {});
}
