import type { LogLine, RunLimits, RunMessage, RunResult } from "../run-messages.ts";
import { describeThrown } from "./describe-thrown.ts";

const encoder = new TextEncoder();

/** What a run tells of itself while it goes on: its lines, and at last how it ended. Told once; the rest is dropped. */
export class RunReport {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #limits: RunLimits;
  readonly #ended = Promise.withResolvers<void>();
  #logBytes = 0;
  #isDone = false;

  constructor(limits: RunLimits) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.readable = readable;
    this.#writer = writable.getWriter();
    this.#limits = limits;
  }

  /** Resolves once the end is told. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  log(stream: LogLine["stream"], text: string): void {
    if (this.#isDone) return;
    this.#logBytes += encoder.encode(text).length + 1;
    if (this.#logBytes > this.#limits.logBytes) {
      this.fail(new Error(`More than ${toMebibytes(this.#limits.logBytes)} were logged`));
    } else {
      this.#write({ line: { stream, text } });
    }
  }

  /** Ends the run with what the code returned. What is no JSON, or too much of it, is a failure. */
  succeed(value: unknown): void {
    let json: string;
    try {
      json = JSON.stringify(value) ?? "null";
    } catch (error) {
      this.fail(new Error(`The result cannot be told as JSON: ${describeThrown(error).message}`));
      return;
    }
    if (encoder.encode(json).length > this.#limits.outputBytes) {
      this.fail(new Error(`The result has more than ${toMebibytes(this.#limits.outputBytes)} as JSON`));
    } else {
      this.#end({ ok: true, json });
    }
  }

  fail(thrown: unknown): void {
    this.#end({ ok: false, thrown: describeThrown(thrown) });
  }

  #end(result: RunResult): void {
    if (this.#isDone) return;
    this.#write({ done: result });
    this.#isDone = true;
    this.#writer.close().catch(() => undefined);
    this.#ended.resolve();
  }

  #write(message: RunMessage): void {
    // Whoever reads has gone: the run is about to be ended.
    this.#writer.write(encoder.encode(`${JSON.stringify(message)}\n`)).catch(() => undefined);
  }
}

function toMebibytes(bytes: number): string {
  return `${Number((bytes / 1024 / 1024).toFixed(1))} MiB`;
}
