/** Must be below the shortest time-out of a session. */
const TOUCH_INTERVAL_MS = 3000;

const DEBOUNCE_MS = 250;

interface SessionUseOptions {
  /** Resolves to whether the session still exists. */
  touch: () => Promise<boolean>;
  onSessionEnded: () => void;
  onError: (error: unknown) => void;
}

/**
 * Reports uses of the machine, so that the session's inactivity time-out starts at the end of the last one.
 * Calls do not wait for it. It is repeated during a use, because a crashed machine cannot report the end.
 */
export class SessionUse {
  readonly #options: SessionUseOptions;
  #uses = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isNotifying = false;
  #isClosed = false;

  constructor(options: SessionUseOptions) {
    this.#options = options;
  }

  begin(): Disposable {
    this.#uses += 1;
    this.#schedule(0);
    let ended = false;
    return {
      [Symbol.dispose]: () => {
        if (ended) return;
        ended = true;
        this.#uses -= 1;
        this.#schedule(DEBOUNCE_MS);
      },
    };
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed || this.#isNotifying) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#notify(), delayMs);
  }

  async #notify(): Promise<void> {
    this.#isNotifying = true;
    const uses = this.#uses;
    try {
      if (!(await this.#options.touch())) this.#options.onSessionEnded();
    } catch (error) {
      this.#options.onError(error);
    }
    this.#isNotifying = false;
    if (this.#uses !== uses) this.#schedule(DEBOUNCE_MS);
    else if (this.#uses > 0) this.#schedule(TOUCH_INTERVAL_MS);
  }
}
