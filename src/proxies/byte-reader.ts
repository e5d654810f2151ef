import { NetworkFailedError } from "../network/network-error.ts";

/** Reads lines and pieces out of a stream, no more than `limit` bytes in all. */
export class ByteReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #limit: number;
  #buffer = new Uint8Array();
  #received = 0;

  constructor(stream: ReadableStream<Uint8Array>, limit: number) {
    this.#reader = stream.getReader();
    this.#limit = limit;
  }

  /** The bytes before the next end of a line. @throws NetworkFailedError where the stream ends before it. */
  async line(): Promise<string> {
    for (let searched = 0; ; ) {
      const end = this.#buffer.indexOf(0x0a, searched);
      if (end !== -1) {
        const line = new TextDecoder().decode(this.#take(end + 1));
        return line.replace(/\r?\n$/, "");
      }
      searched = this.#buffer.length;
      await this.#require();
    }
  }

  /** @throws NetworkFailedError where the stream ends before so many bytes. */
  async bytes(length: number): Promise<Uint8Array> {
    if (length > this.#limit) throw tooLarge(this.#limit);
    while (this.#buffer.length < length) await this.#require();
    return this.#take(length);
  }

  /** Everything up to the end of the stream. */
  async rest(): Promise<Uint8Array> {
    while (await this.#receive());
    return this.#take(this.#buffer.length);
  }

  /** Reads nothing more, also where a read waits. */
  cancel(): void {
    this.#reader.cancel().catch(() => {});
  }

  #take(length: number): Uint8Array {
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }

  async #require(): Promise<void> {
    if (await this.#receive()) return;
    throw new NetworkFailedError("unreachable", "The connection broke before the whole answer was there");
  }

  /** False at the end of the stream. */
  async #receive(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (done) return false;
    this.#received += value.length;
    if (this.#received > this.#limit) throw tooLarge(this.#limit);
    const joined = new Uint8Array(this.#buffer.length + value.length);
    joined.set(this.#buffer);
    joined.set(value, this.#buffer.length);
    this.#buffer = joined;
    return true;
  }
}

function tooLarge(limit: number): NetworkFailedError {
  return new NetworkFailedError("response_too_large", `The response is larger than ${limit} bytes`);
}
