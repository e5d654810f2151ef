import { withinTime } from "../../common/concurrency.ts";

/** How long a start may hold up the next one: code may take its time to load. */
const START_TIMEOUT_MS = 500;

/** How long after its start a run may still tell that it was stopped at once. */
const REPORT_DELAY_MS = 20;

/**
 * Has runs start one after the other, so that everybody else gets a turn between two that begin with an endless loop.
 */
export class StartQueue {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Waits for the start before, and a while at most: whoever made that may be gone. */
  async enter(): Promise<Start> {
    const previous = this.#last;
    const start = new Start();
    this.#last = start.over;
    this.#waiting++;
    await withinTime(previous, this.#waiting * START_TIMEOUT_MS);
    this.#waiting--;
    return start;
  }
}

/** One start. It must be ended. */
export class Start {
  readonly #over = Promise.withResolvers<void>();

  get over(): Promise<void> {
    return this.#over.promise;
  }

  end(): void {
    this.#over.resolve();
  }

  /** Ends it when the run has had time to tell that it was stopped. */
  endSoon(): void {
    setTimeout(() => this.end(), REPORT_DELAY_MS);
  }
}

/** Of this isolate. Only a runtime that runs all code in one thread needs it. */
export const startQueue = new StartQueue();
