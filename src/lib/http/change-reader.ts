import { resolveWithin } from "../common/concurrency.ts";
import type { EventReader } from "./event-log.ts";

interface ChangeReaderOptions<S, T> {
  /** Reads the present state. Undefined ends the events. */
  read: () => Promise<S | undefined>;
  /** Creates the event for a state that differs from the previous one. */
  present: (state: S) => Promise<T>;
  /** Called when either fails, which ends the events. */
  onFailure: (error: unknown) => void;
  intervalMs: number;
  maxMs: number;
}

/** Polls a state, and emits an event for the first one and for each that differs from the previous one. */
export class ChangeReader<S, T> implements EventReader<T> {
  readonly #options: ChangeReaderOptions<S, T>;
  readonly #endsAt: number;
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;
  #last: string | undefined;

  constructor(options: ChangeReaderOptions<S, T>) {
    this.#options = options;
    this.#endsAt = Date.now() + options.maxMs;
  }

  async next(): Promise<T | undefined> {
    try {
      while (true) {
        if (this.#last !== undefined) await this.#pause();
        if (this.#isClosed || Date.now() >= this.#endsAt) return undefined;
        const state = await this.#options.read();
        if (state === undefined) return undefined;
        const text = JSON.stringify(state);
        if (text === this.#last) continue;
        this.#last = text;
        return await this.#options.present(state);
      }
    } catch (error) {
      this.#options.onFailure(error);
      return undefined;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#closed.resolve();
  }

  async #pause(): Promise<void> {
    await resolveWithin(this.#closed.promise, this.#options.intervalMs);
  }
}
