import { resolveWithin } from "../../../lib/common/concurrency.ts";

/** How long a start may delay the next one. */
const START_TIMEOUT_MS = 500;

/** How long after its start a run may take to report that it was stopped. */
const REPORT_DELAY_MS = 20;

/** Starts runs one at a time, so other requests get a turn between runs that start with an endless loop. */
export class StartQueue {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  async enter(): Promise<Start> {
    const previous = this.#last;
    const start = new Start();
    this.#last = start.over;
    this.#waiting++;
    await resolveWithin(previous, this.#waiting * START_TIMEOUT_MS);
    this.#waiting--;
    return start;
  }
}

/** The caller must end it. */
export class Start {
  readonly #over = Promise.withResolvers<void>();

  get over(): Promise<void> {
    return this.#over.promise;
  }

  end(): void {
    this.#over.resolve();
  }

  endSoon(): void {
    setTimeout(() => this.end(), REPORT_DELAY_MS);
  }
}

/** Needed only by a runtime that runs all code in one thread. */
export const startQueue = new StartQueue();
