import { LINE_BYTES, MAX_LINE_LENGTH, type RunLimits, truncate } from "../run-limits.ts";
import type { LogLine, RunMessage, RunResult } from "../run-messages.ts";
import { describeThrown } from "./describe-thrown.ts";

// Saved before user code can replace them.
const NativeError = Error;
const { stringify } = JSON;
const encoder = new TextEncoder();
const encode = encoder.encode.bind(encoder);

/** Streams a run's lines and result only. Stays open: remaining work can only be aborted by this request. */
export class RunReport {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #limits: RunLimits;
  readonly #onEnd: () => void;
  #pending = "";
  #isFlushing = false;
  #logBytes = 0;
  #isDone = false;

  constructor(limits: RunLimits, onEnd: () => void = () => undefined) {
    const { readable, writable } = new IdentityTransformStream();
    this.readable = readable;
    this.#writer = writable.getWriter();
    this.#limits = limits;
    this.#onEnd = onEnd;
  }

  /** Cuts long lines, but counts them in full. @throws Error at the limit: it stops most loops that log. */
  log(stream: LogLine["stream"], logged: string): void {
    const text = truncate(logged, MAX_LINE_LENGTH);
    this.#logBytes += encode(logged).length + LINE_BYTES;
    if (this.#logBytes > this.#limits.logBytes) {
      const reason = `More than ${toMebibytes(this.#limits.logBytes)} were logged`;
      this.#failWith(reason);
      throw new NativeError(reason);
    }
    if (!this.#isDone) this.#write({ line: { stream, text } });
  }

  succeed(value: unknown): void {
    let json: string;
    try {
      json = stringify(value) ?? "null";
    } catch (error) {
      this.#failWith(`The result cannot be serialized as JSON: ${describeThrown(error).message}`);
      return;
    }
    const { outputBytes } = this.#limits;
    if (json.length > outputBytes || encode(json).length > outputBytes) {
      this.#failWith(`The result has more than ${toMebibytes(outputBytes)} as JSON`);
    } else {
      this.#end({ ok: true, json });
    }
  }

  fail(thrown: unknown): void {
    this.#end({ ok: false, thrown: describeThrown(thrown) });
  }

  stop(error: Error): void {
    this.#end({ ok: false, thrown: describeThrown(error), overran: true });
  }

  #failWith(message: string): void {
    this.#end({ ok: false, thrown: { name: "Error", message } });
  }

  /** Without any stack left, this throws and is called again. */
  #end(result: RunResult): void {
    if (!this.#isDone) this.#write({ done: result });
    this.#isDone = true;
    this.#onEnd();
  }

  #write(message: RunMessage): void {
    this.#pending += `${stringify(message)}\n`;
    if (!this.#isFlushing) void this.#flush();
  }

  /** One write at a time, because code that logs in a loop would start very many. */
  async #flush(): Promise<void> {
    this.#isFlushing = true;
    try {
      while (this.#pending !== "") {
        const piece = encode(this.#pending);
        this.#pending = "";
        await this.#writer.write(piece);
      }
    } catch {
      // The reader is gone, so the run will be aborted.
    }
    this.#isFlushing = false;
  }
}

function toMebibytes(bytes: number): string {
  return `${Number((bytes / 1024 / 1024).toFixed(1))} MiB`;
}
