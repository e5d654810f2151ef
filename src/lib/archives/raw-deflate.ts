import { pipeline } from "node:stream";
import { createDeflateRaw, createInflateRaw, type Transform } from "node:zlib";
import { ArchiveError } from "./archive-error.ts";

const CHUNK_BYTES = 64 * 1024;

// Node's streams respect backpressure. The platform's DecompressionStream buffers its whole output, so 64 KiB
// of a zip bomb would take 64 MiB of memory.

export function deflate(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return pipe(content, createDeflateRaw({ chunkSize: CHUNK_BYTES }));
}

export async function* inflate(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* pipe(content, createInflateRaw({ chunkSize: CHUNK_BYTES }));
  } catch (error) {
    throw isZlibError(error) ? new ArchiveError("its compressed content is damaged") : error;
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}

function pipe(content: AsyncIterable<Uint8Array>, transform: Transform): AsyncIterable<Uint8Array> {
  return pipeline(content, transform, () => {});
}
