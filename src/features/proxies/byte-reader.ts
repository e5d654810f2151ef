import { concatenate } from "../../lib/common/concatenate.ts";
import { NetworkFailedError } from "../../platform/network/network-error.ts";

/** Reads lines and byte ranges from a stream, at most `limit` bytes in total. */
export class ByteReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #limit: number;
  #buffer = new Uint8Array();
  #received = 0;

  constructor(stream: ReadableStream<Uint8Array>, limit: number) {
    this.#reader = stream.getReader();
    this.#limit = limit;
  }

  /** @throws NetworkFailedError if the stream ends before the line. */
  async readLine(): Promise<string> {
    for (let searched = 0; ; ) {
      const end = this.#buffer.indexOf(0x0a, searched);
      if (end !== -1) {
        const line = new TextDecoder().decode(this.#take(end + 1));
        return line.replace(/\r?\n$/, "");
      }
      searched = this.#buffer.length;
      await this.#receiveMore();
    }
  }

  async readBytes(length: number): Promise<Uint8Array> {
    if (length > this.#limit) throw tooLarge(this.#limit);
    while (this.#buffer.length < length) await this.#receiveMore();
    return this.#take(length);
  }

  async readToEnd(): Promise<Uint8Array> {
    while (await this.#receive());
    return this.#take(this.#buffer.length);
  }

  cancel(): void {
    this.#reader.cancel().catch(() => {});
  }

  #take(length: number): Uint8Array {
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }

  async #receiveMore(): Promise<void> {
    if (await this.#receive()) return;
    throw new NetworkFailedError("unreachable", "The connection was closed before the response was complete");
  }

  async #receive(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (done) return false;
    this.#received += value.length;
    if (this.#received > this.#limit) throw tooLarge(this.#limit);
    this.#buffer = concatenate([this.#buffer, value]);
    return true;
  }
}

function tooLarge(limit: number): NetworkFailedError {
  return new NetworkFailedError("response_too_large", `The response is larger than ${limit} bytes`);
}
