import { Buffer } from "node:buffer";
import { badRequest, ServiceError } from "../common/errors.ts";
import { type PartHeaders, readBoundary, readPartHeaders } from "./multipart-headers.ts";

/** A part of a form. */
export interface MultipartPart extends PartHeaders {
  /** The content, once. It breaks where the form does. */
  body: ReadableStream<Uint8Array>;
  /**
   * What the form broke off with while the content was read. The stream may not tell it: an object that it was
   * handed to learns that it is broken, and no more.
   */
  readonly failure: ServiceError | undefined;
}

export interface MultipartLimits {
  parts: number;
  /** Bytes of one part's headers, and of what stands before the first part; less than 64 KiB. */
  headerBytes: number;
}

const DEFAULT_LIMITS: MultipartLimits = { parts: 1000, headerBytes: 16 * 1024 };

/** Whatever the size of a form, no more of it is in memory. */
const WINDOW_BYTES = 64 * 1024;

const END_OF_HEADERS = "\r\n\r\n";

/**
 * Reads a form part by part, as it arrives. The next part is given once the body of the last one was read to its
 * end or cancelled; a body that nobody took is skipped. Whoever stops before the last part ends the request's body.
 *
 * It is written here because the libraries do not fit files of any size in a Worker: @remix-run/multipart-parser
 * 0.16 gathers a part in memory before it gives it, busboy and its forks are Node streams that push their parts.
 *
 * @throws ServiceError 400 that says what is malformed or over a limit; and whatever ServiceError the body breaks
 *     off with.
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

/**
 * The whole text of a part that is no file.
 *
 * @throws ServiceError 400 where it has more bytes than `limit`, or is no UTF-8.
 */
export async function readPartText(part: MultipartPart, limit: number): Promise<string> {
  try {
    return await readText(part, limit);
  } catch (error) {
    throw part.failure ?? error;
  }
}

/**
 * The whole content of a part that is a file.
 *
 * @throws ServiceError 413 that names the part where it has more bytes than `limit`.
 */
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

/** The bytes of a form in their order, cut at its boundaries. */
class Form {
  readonly #window: Window;
  readonly #delimiter: Buffer;
  readonly #limits: MultipartLimits;

  constructor(body: ReadableStream<Uint8Array>, boundary: string, limits: MultipartLimits) {
    // A boundary stands at the beginning of a line: with this, also the one at the beginning of the body does.
    this.#window = new Window(body, Buffer.from("\r\n"));
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#limits = limits;
  }

  async skipPreamble(): Promise<void> {
    let skipped = 0;
    await this.passContent(({ length }) => {
      skipped += length;
      if (skipped > this.#limits.headerBytes) throw malformed("it does not begin with its boundary");
    });
  }

  /** At a boundary: goes past it. @returns whether a part follows; if none does, the form is read to its end. */
  async hasNext(): Promise<boolean> {
    this.#window.discard(this.#delimiter.length);
    while (this.#window.bytes.length < 2) await this.#fill();
    if (this.#window.bytes.indexOf("--") !== 0) return true;
    do this.#window.discard(this.#window.bytes.length);
    while (await this.#window.fill());
    return false;
  }

  /** All that stands before the content of the part, the rest of the boundary's line included. */
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

  /** Gives the content up to the next boundary, piece by piece; what `take` fails on is given again. */
  async passContent(take?: (bytes: Uint8Array) => void | Promise<void>): Promise<void> {
    for (let length = await this.#contentLength(); length > 0; length = await this.#contentLength()) {
      await take?.(this.#window.bytes.subarray(0, length));
      this.#window.discard(length);
    }
  }

  /** How many bytes of content are at hand, at least one; 0: a boundary comes next. */
  async #contentLength(): Promise<number> {
    for (;;) {
      const { bytes } = this.#window;
      const boundary = bytes.indexOf(this.#delimiter);
      if (boundary !== -1) return boundary;
      // Without a boundary in sight, all is content but for what could be the beginning of one.
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

/** The content of the part at which a form stands. */
class PartContent {
  /** The platform's own stream: it goes to other objects, and waits until what was written is read. */
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

  /** Ends the content that nobody reads. */
  async release(): Promise<void> {
    if (!this.stream.locked) await this.stream.cancel();
  }

  /** Waits for whoever reads the content, and goes to the next boundary. @throws ServiceError */
  async skipRest(): Promise<void> {
    await this.#finished;
    if (this.#failure) throw this.#failure;
    await this.#form.passContent();
  }

  /** Never rejects. */
  async #write(writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
    try {
      await this.#form.passContent((bytes) => writer.write(bytes));
      await writer.close();
    } catch (error) {
      // What a stream fails with that is no longer wanted is nobody's concern.
      this.#failure = error instanceof ServiceError ? error : undefined;
      await writer.abort(error).catch(() => {});
    }
  }
}

/**
 * The bytes of a body that are read and not yet used. They are in one buffer that goes to the reader and comes back:
 * of buffers made anew, tens of megabytes are about before the runtime collects them.
 */
class Window {
  readonly #reader: ReadableStreamBYOBReader;
  #buffer = new Uint8Array(WINDOW_BYTES);
  #start = 0;
  #end = 0;

  /** @param head what comes before the body. */
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

  /** Reads more. There must be room: at least one byte used. @returns false at the end of the body. */
  async fill(): Promise<boolean> {
    this.#buffer.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    const { done, value } = await this.#read(this.#buffer.subarray(this.#end));
    // Of a body that was cancelled nothing comes back.
    this.#buffer = new Uint8Array(value?.buffer ?? new ArrayBuffer(0));
    if (done || !value) return false;
    this.#end += value.length;
    return true;
  }

  async close(): Promise<void> {
    // A body that has failed rejects this with what it has failed with, which was thrown to whoever read.
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

/** Reads larger pieces than the 4 KiB that the platform gives otherwise, where the stream is one of bytes. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return streamOfBytes(body).getReader({ mode: "byob" });
  }
}

function streamOfBytes(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
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
