const MAX_RECORDED_PER_SECOND = 200;

/** A browser that sends more than this is told to stop until the second is over. */
const MAX_RECEIVED_PER_SECOND = 1000;

interface ThrottleOptions {
  onDropped: (count: number) => void;
  /** Stops the source of the events. */
  pause: () => void;
  resume: () => void;
}

/** Limits the events of one kind, so that a page that floods them does not slow its session. */
export class Throttle {
  readonly #options: ThrottleOptions;
  #received = 0;
  #isPaused = false;
  #timer: number | null = null;

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  /** @returns whether to record another event. */
  admit(): boolean {
    this.#timer ??= setTimeout(() => this.#endSecond(), 1000);
    this.#received += 1;
    if (this.#received === MAX_RECEIVED_PER_SECOND) {
      this.#isPaused = true;
      this.#options.pause();
    }
    return this.#received <= MAX_RECORDED_PER_SECOND;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#report();
  }

  #endSecond(): void {
    this.#timer = null;
    this.#report();
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#options.resume();
  }

  #report(): void {
    const dropped = this.#received - MAX_RECORDED_PER_SECOND;
    this.#received = 0;
    if (dropped > 0) this.#options.onDropped(dropped);
  }
}
