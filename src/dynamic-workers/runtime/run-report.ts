import { cut, LINE_BYTES, MAX_LINE_LENGTH, type RunLimits } from "../run-limits.ts";
import type { LogLine, RunMessage, RunResult } from "../run-messages.ts";
import { describeThrown } from "./describe-thrown.ts";

// Taken before other people's code runs, which may put something else in their place.
const NativeError = Error;
const { stringify } = JSON;
const encoder = new TextEncoder();
const encode = encoder.encode.bind(encoder);

/**
 * What a run tells of itself while it goes on: its lines, and at last how it ended. Told once; the rest is dropped.
 * The stream stays open: with its end nobody could end what the run has left under way any more.
 */
export class RunReport {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #limits: RunLimits;
  readonly #onEnd: () => void;
  #unsent = "";
  #isSending = false;
  #logBytes = 0;
  #isDone = false;

  /** @param onEnd called when the run ends, perhaps more than once. */
  constructor(limits: RunLimits, onEnd: () => void = () => undefined) {
    const { readable, writable } = new IdentityTransformStream();
    this.readable = readable;
    this.#writer = writable.getWriter();
    this.#limits = limits;
    this.#onEnd = onEnd;
  }

  /**
   * What is longer than a line may be is cut, and counts whole.
   *
   * @throws when more was logged than may be: most code that logs without end ends with that.
   */
  log(stream: LogLine["stream"], logged: string): void {
    const text = cut(logged, MAX_LINE_LENGTH);
    this.#logBytes += encode(logged).length + LINE_BYTES;
    if (this.#logBytes > this.#limits.logBytes) {
      const reason = `More than ${toMebibytes(this.#limits.logBytes)} were logged`;
      this.#refuse(reason);
      throw new NativeError(reason);
    }
    if (!this.#isDone) this.#tell({ line: { stream, text } });
  }

  /** Ends the run with what the code returned. What is no JSON, or too much of it, is a failure. */
  succeed(value: unknown): void {
    let json: string;
    try {
      json = stringify(value) ?? "null";
    } catch (error) {
      this.#refuse(`The result cannot be told as JSON: ${describeThrown(error).message}`);
      return;
    }
    const { outputBytes } = this.#limits;
    if (json.length > outputBytes || encode(json).length > outputBytes) {
      this.#refuse(`The result has more than ${toMebibytes(outputBytes)} as JSON`);
    } else {
      this.#end({ ok: true, json });
    }
  }

  fail(thrown: unknown): void {
    this.#end({ ok: false, thrown: describeThrown(thrown) });
  }

  /** Ends the run of code that was stopped because it blocked the event loop. */
  stop(error: Error): void {
    this.#end({ ok: false, thrown: describeThrown(error), overran: true });
  }

  /** Ends the run for a reason that is not the code's to word. */
  #refuse(message: string): void {
    this.#end({ ok: false, thrown: { name: "Error", message } });
  }

  /** Telling fails where no stack is left, and ending what is under way, too. Then this is called again. */
  #end(result: RunResult): void {
    if (!this.#isDone) this.#tell({ done: result });
    this.#isDone = true;
    this.#onEnd();
  }

  #tell(message: RunMessage): void {
    this.#unsent += `${stringify(message)}\n`;
    if (!this.#isSending) void this.#send();
  }

  /** One piece is on its way at a time: code that logs without giving way would make a great many. */
  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#unsent !== "") {
        const piece = encode(this.#unsent);
        this.#unsent = "";
        await this.#writer.write(piece);
      }
    } catch {
      // Whoever reads has gone: the run is about to be ended.
    }
    this.#isSending = false;
  }
}

function toMebibytes(bytes: number): string {
  return `${Number((bytes / 1024 / 1024).toFixed(1))} MiB`;
}
