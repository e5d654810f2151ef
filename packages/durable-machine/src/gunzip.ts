import { pipeline } from "node:stream";
import { createGunzip, createInflateRaw } from "node:zlib";

const CHUNK_BYTES = 64 * 1024;

export class GunzipError extends Error {
  override readonly name = "GunzipError";
  readonly reason: "damaged" | "too_large";

  constructor(reason: GunzipError["reason"], options?: ErrorOptions) {
    super(
      reason === "damaged" ? "the content is not valid gzip" : "the content unpacks to too many bytes",
      options,
    );
    this.reason = reason;
  }
}

/**
 * Unpacks gzip members as their bytes are read. The platform's DecompressionStream would buffer its whole
 * output, which may be a thousand times as long as its input.
 *
 * @throws GunzipError if the content is damaged, or unpacks to more than `maxBytes`. The limit holds while it
 * unpacks.
 */
export async function* gunzip(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  yield* unpack(content, maxBytes, createGunzip({ chunkSize: CHUNK_BYTES }));
}

/** As `gunzip`, for content that was deflated without a header. */
export async function* inflateRaw(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  yield* unpack(content, maxBytes, createInflateRaw({ chunkSize: CHUNK_BYTES }));
}

async function* unpack(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  transform: ReturnType<typeof createGunzip> | ReturnType<typeof createInflateRaw>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  let length = 0;
  try {
    for await (const chunk of pipeline(content, transform, () => {})) {
      length += chunk.length;
      if (length > maxBytes) throw new GunzipError("too_large");
      yield chunk;
    }
  } catch (error) {
    const isDamaged = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    throw isDamaged ? new GunzipError("damaged", { cause: error }) : error;
  }
}
