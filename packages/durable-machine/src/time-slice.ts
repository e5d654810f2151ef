const MAX_SLICE_MS = 8;

/** Steps are counted as well, because the platform's clocks stand still while code runs. */
const MAX_STEPS = 250;

/** Keeps long work from holding up the other sessions on this isolate, their sockets and timers. */
export class TimeSlice {
  #startedAt = performance.now();
  #steps = 0;

  /** Await this after each step of long work. @param cost in ordinary steps. */
  async step(cost = 1): Promise<void> {
    this.#steps += cost;
    if (this.#steps < MAX_STEPS && performance.now() - this.#startedAt < MAX_SLICE_MS) return;
    await this.rest();
  }

  /** Ends the turn at once. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#startedAt = performance.now();
    this.#steps = 0;
  }
}
