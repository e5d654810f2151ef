import { NetworkFailedError } from "./network-error.ts";

export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #aborted: Promise<never>;
  readonly signal: AbortSignal;

  constructor(timeoutMs: number, signal?: AbortSignal) {
    this.signal = signal ? AbortSignal.any([signal, this.#controller.signal]) : this.#controller.signal;
    this.#timer = setTimeout(() => {
      this.#controller.abort(
        new NetworkFailedError("timed_out", `Operation timed out after ${timeoutMs} milliseconds`),
      );
    }, timeoutMs);
    this.#aborted = new Promise((_, reject) => {
      const fail = () => reject(this.signal.reason);
      if (this.signal.aborted) fail();
      else this.signal.addEventListener("abort", fail, { once: true });
    });
    // Nothing may be waiting when the deadline passes.
    this.#aborted.catch(() => {});
  }

  limit<T>(step: Promise<T>): Promise<T> {
    return Promise.race([this.#aborted, step]);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
