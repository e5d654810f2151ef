/** How long work goes on before everything else of the service gets its turn, in milliseconds. */
const LONGEST_SLICE_MS = 8;

/** On the platform clocks stand still while code computes, so steps are counted as well. */
const MOST_STEPS = 250;

/**
 * Keeps long work from standing in everybody's way. The sockets of all sessions on this isolate, timers and other
 * calls wait while code runs without giving up its turn, and awaiting what is there already gives up none.
 */
export class TimeSlice {
  #startedAt = performance.now();
  #steps = 0;

  /**
   * To be awaited after each step of long work. Ends the turn where it has taken long enough.
   *
   * @param cost how many ordinary steps this one was worth.
   */
  async step(cost = 1): Promise<void> {
    this.#steps += cost;
    if (this.#steps < MOST_STEPS && performance.now() - this.#startedAt < LONGEST_SLICE_MS) return;
    await this.rest();
  }

  /** Ends the turn at once. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#startedAt = performance.now();
    this.#steps = 0;
  }
}
