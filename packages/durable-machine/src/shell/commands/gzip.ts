import type { ByteSink } from "./byte-sink.ts";
import { type ByteSource, pieces, skipByReading } from "./byte-source.ts";

const NOTHING = new Uint8Array(0);

/** What is read is not compressed, or damaged. */
export class GzipError extends Error {
  override readonly name = "GzipError";
}

/** The bytes of a stream as they are asked for. */
function sourceOf(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader = stream.getReader();
  ignoreFailure(reader.closed);
  let held: Uint8Array = NOTHING;
  const read = async (length: number): Promise<Uint8Array> => {
    while (held.length === 0) {
      const result = await reader.read().catch((error: unknown) => {
        throw new GzipError("invalid compressed data", { cause: error });
      });
      if (result.done) return NOTHING;
      held = result.value;
    }
    const piece = held.subarray(0, length);
    held = held.subarray(piece.length);
    return piece;
  };
  return { size: undefined, isStream: false, read, skip: (length) => skipByReading(read, length) };
}

/** What is wrong with the input, whoever reads the output hears; of these promises nobody needs to. */
function ignoreFailure(...promises: Promise<unknown>[]): void {
  for (const promise of promises) promise.catch(() => {});
}

async function pour(source: ByteSource, writer: WritableStreamDefaultWriter<BufferSource>): Promise<void> {
  for await (const piece of pieces(source)) await writer.write(new Uint8Array(piece));
  await writer.close();
}

/** What a compressed source holds. */
export function gunzipped(source: ByteSource): ByteSource {
  const stream = new DecompressionStream("gzip");
  const writer = stream.writable.getWriter();
  ignoreFailure(writer.closed, writer.ready, pour(source, writer));
  return sourceOf(stream.readable);
}

/** Compresses what is written into a sink. To be ended, lest the end be missing. */
export class GzipSink implements ByteSink {
  readonly #sink: ByteSink;
  readonly #writer: WritableStreamDefaultWriter<BufferSource>;
  readonly #drained: Promise<void>;

  constructor(sink: ByteSink) {
    this.#sink = sink;
    const stream = new CompressionStream("gzip");
    this.#writer = stream.writable.getWriter();
    this.#drained = this.#drain(stream.readable.getReader());
    ignoreFailure(this.#drained, this.#writer.closed);
  }

  async write(bytes: Uint8Array): Promise<void> {
    // What cannot be written any more would never be taken: then the reason is told.
    await Promise.race([this.#writer.write(new Uint8Array(bytes)), this.#drained]);
  }

  async flush(): Promise<void> {
    await Promise.race([this.#writer.close(), this.#drained]);
    await this.#drained;
    await this.#sink.flush();
  }

  async #drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      await this.#sink.write(value);
    }
  }
}
