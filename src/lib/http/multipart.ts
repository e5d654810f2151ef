import { Buffer } from "node:buffer";
import { badRequest, ServiceError } from "../common/errors.ts";
import { type PartHeaders, readBoundary, readPartHeaders } from "./multipart-headers.ts";
import { withBody } from "./request-body.ts";

export interface MultipartPart extends PartHeaders {
  body: ReadableStream<Uint8Array>;
  /** The error that cut the form off. A Durable Object that receives `body` sees only a broken stream. */
  readonly failure: ServiceError | undefined;
}

export interface MultipartLimits {
  parts: number;
  /** Limit for the preamble and for the headers of each part; less than 64 KiB. */
  headerBytes: number;
}

const DEFAULT_LIMITS: MultipartLimits = { parts: 1000, headerBytes: 16 * 1024 };

const WINDOW_BYTES = 64 * 1024;

const END_OF_HEADERS = "\r\n\r\n";

/**
 * Reads a form part by part, as it arrives. A part must be read or cancelled before the next one; an
 * untouched body is skipped. Libraries do not fit large files in a Worker: @remix-run/multipart-parser 0.16
 * buffers whole parts, busboy and its forks use Node streams.
 *
 * @throws ServiceError 400 for a malformed form or one over a limit, and any ServiceError that the body fails
 * with.
 *
 * @example
 * for await (const part of readMultipart({ contentType, body })) {
 *   fields.set(part.name, await readPartText(part, 1024));
 * }
 */
export async function* readMultipart(
  { contentType, body }: { contentType: string | null | undefined; body: ReadableStream<Uint8Array> | null },
  limits: MultipartLimits = DEFAULT_LIMITS,
): AsyncGenerator<MultipartPart, void, undefined> {
  const boundary = readBoundary(contentType);
  if (!body) throw malformed("it is empty");
  const form = new Form(body, boundary, limits);
  try {
    await form.skipPreamble();
    for (let count = 1; await form.hasNext(); count++) {
      if (count > limits.parts) throw malformed(`it has more than ${limits.parts} parts`);
      const headers = readPartHeaders(await form.readHeaders(count), count);
      const content = new PartContent(form);
      try {
        yield {
          ...headers,
          body: content.stream,
          get failure() {
            return content.failure;
          },
        };
      } finally {
        await content.release();
      }
      await content.skipRest();
    }
  } finally {
    await form.close();
  }
}

/** Gives `work` the form as {@link readMultipart} reads it, then discards what `work` has not read. */
export function withForm<T>(
  request: Request,
  work: (parts: AsyncIterable<MultipartPart>) => Promise<T>,
): Promise<T> {
  const contentType = request.headers.get("content-type");
  return withBody(request.body, (body) => work(readMultipart({ contentType, body })));
}

/** @throws ServiceError 400 if the part exceeds `limit` bytes or is not UTF-8. */
export async function readPartText(part: MultipartPart, limit: number): Promise<string> {
  try {
    return await readText(part, limit);
  } catch (error) {
    throw part.failure ?? error;
  }
}

/** @throws ServiceError 413 if the part exceeds `limit` bytes. */
export async function readPartBytes(part: MultipartPart, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of part.body) {
      length += chunk.length;
      if (length > limit) {
        throw new ServiceError("payload_too_large", `${part.name}: may have at most ${limit} bytes`);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw part.failure ?? error;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

async function readText({ name, body }: MultipartPart, limit: number): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > limit) throw badRequest({ field: name, message: `must have at most ${limit} bytes` });
    text += decode(name, () => decoder.decode(chunk, { stream: true }));
  }
  return text + decode(name, () => decoder.decode());
}

function decode(field: string, work: () => string): string {
  try {
    return work();
  } catch {
    throw badRequest({ field, message: "must be text in UTF-8" });
  }
}

class Form {
  readonly #window: Window;
  readonly #delimiter: Buffer;
  readonly #limits: MultipartLimits;

  constructor(body: ReadableStream<Uint8Array>, boundary: string, limits: MultipartLimits) {
    // The delimiter begins with a line break. This one makes it match at the start of the body.
    this.#window = new Window(body, Buffer.from("\r\n"));
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#limits = limits;
  }

  async skipPreamble(): Promise<void> {
    let skipped = 0;
    await this.readContent(({ length }) => {
      skipped += length;
      if (skipped > this.#limits.headerBytes) throw malformed("it does not begin with its boundary");
    });
  }

  async hasNext(): Promise<boolean> {
    this.#window.discard(this.#delimiter.length);
    while (this.#window.bytes.length < 2) await this.#fill();
    if (this.#window.bytes.indexOf("--") !== 0) return true;
    do this.#window.discard(this.#window.bytes.length);
    while (await this.#window.fill());
    return false;
  }

  async readHeaders(part: number): Promise<string> {
    for (;;) {
      const { bytes } = this.#window;
      const end = bytes.indexOf(END_OF_HEADERS);
      if (end > this.#limits.headerBytes || (end === -1 && bytes.length > this.#limits.headerBytes)) {
        throw malformed(`the headers of part ${part} have more than ${this.#limits.headerBytes} bytes`);
      }
      if (end !== -1) {
        const text = bytes.toString("utf8", 0, end);
        this.#window.discard(end + END_OF_HEADERS.length);
        return text;
      }
      await this.#fill();
    }
  }

  /** `onBytes` must not keep its argument: the buffer is reused. */
  async readContent(onBytes?: (bytes: Uint8Array) => void | Promise<void>): Promise<void> {
    for (let length = await this.#contentLength(); length > 0; length = await this.#contentLength()) {
      await onBytes?.(this.#window.bytes.subarray(0, length));
      this.#window.discard(length);
    }
  }

  /** Number of content bytes that are available; 0 at a boundary. */
  async #contentLength(): Promise<number> {
    for (;;) {
      const { bytes } = this.#window;
      const boundary = bytes.indexOf(this.#delimiter);
      if (boundary !== -1) return boundary;
      // The last bytes may be the beginning of a boundary.
      const length = bytes.length - this.#delimiter.length + 1;
      if (length > 0) return length;
      await this.#fill();
    }
  }

  async close(): Promise<void> {
    await this.#window.close();
  }

  async #fill(): Promise<void> {
    if (!(await this.#window.fill())) throw malformed("it breaks off before its last boundary");
  }
}

class PartContent {
  /** A native stream can be sent to Durable Objects and applies backpressure. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly #form: Form;
  readonly #finished: Promise<void>;
  #failure: ServiceError | undefined;

  constructor(form: Form) {
    const { readable, writable } = new IdentityTransformStream();
    this.stream = readable;
    this.#form = form;
    this.#finished = this.#write(writable.getWriter());
  }

  get failure(): ServiceError | undefined {
    return this.#failure;
  }

  async release(): Promise<void> {
    if (!this.stream.locked) await this.stream.cancel();
  }

  async skipRest(): Promise<void> {
    await this.#finished;
    if (this.#failure) throw this.#failure;
    await this.#form.readContent();
  }

  async #write(writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
    try {
      await this.#form.readContent((bytes) => writer.write(bytes));
      await writer.close();
    } catch (error) {
      // The reader may have cancelled the stream. That is not a failure of the form.
      this.#failure = error instanceof ServiceError ? error : undefined;
      await writer.abort(error).catch(() => {});
    }
  }
}

/** One reused buffer: the runtime collects new buffers too late. */
class Window {
  readonly #reader: ReadableStreamBYOBReader;
  #buffer = new Uint8Array(WINDOW_BYTES);
  #start = 0;
  #end = 0;

  constructor(body: ReadableStream<Uint8Array>, head: Uint8Array) {
    this.#reader = byteReader(body);
    this.#buffer.set(head);
    this.#end = head.length;
  }

  get bytes(): Buffer {
    return Buffer.from(this.#buffer.buffer, this.#start, this.#end - this.#start);
  }

  discard(length: number): void {
    this.#start += length;
  }

  /** The window must not be full. @returns false at the end of the body. */
  async fill(): Promise<boolean> {
    this.#buffer.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    const { done, value } = await this.#read(this.#buffer.subarray(this.#end));
    // A cancelled body returns no buffer.
    this.#buffer = new Uint8Array(value?.buffer ?? new ArrayBuffer(0));
    if (done || !value) return false;
    this.#end += value.length;
    return true;
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  async #read(space: Uint8Array<ArrayBuffer>) {
    try {
      return await this.#reader.read(space);
    } catch (error) {
      throw error instanceof ServiceError ? error : malformed("it breaks off");
    }
  }
}

function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return toByteStream(body).getReader({ mode: "byob" });
  }
}

function toByteStream(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      let { done, value } = await reader.read();
      while (value?.length === 0) ({ done, value } = await reader.read());
      if (value) controller.enqueue(new Uint8Array(value));
      if (!done) return;
      controller.close();
      controller.byobRequest?.respond(0);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function malformed(message: string): ServiceError {
  return badRequest({ field: "", message: `the multipart form is malformed: ${message}` });
}
