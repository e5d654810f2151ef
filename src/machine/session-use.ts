/** How often the session hears that its machine is still used; below the shortest time-out of a session. */
const TOUCH_INTERVAL_MS = 3000;

/** Uses that begin or end within this time are told together. */
const TOGETHER_MS = 250;

interface SessionUseOptions {
  /** Tells the session that it is used now. Resolves to whether the session is still there. */
  touch: () => Promise<boolean>;
  onSessionOver: () => void;
  onFailure: (error: unknown) => void;
}

/**
 * Lets the session know that its machine is used, so that its inactivity clock starts at the end of the last use.
 * No call waits for it: the session is told beside the work, and again and again while that lasts, because a
 * machine that crashes cannot tell of an end.
 */
export class SessionUse {
  readonly #options: SessionUseOptions;
  #uses = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isTelling = false;
  #isClosed = false;

  constructor(options: SessionUseOptions) {
    this.#options = options;
  }

  /** Begins a use; its end is the disposal of what is returned. Ending it twice is ending it once. */
  begin(): Disposable {
    this.#uses += 1;
    this.#schedule(0);
    let ended = false;
    return {
      [Symbol.dispose]: () => {
        if (ended) return;
        ended = true;
        this.#uses -= 1;
        this.#schedule(TOGETHER_MS);
      },
    };
  }

  /** Tells nobody any more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed || this.#isTelling) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tell(), delayMs);
  }

  async #tell(): Promise<void> {
    this.#isTelling = true;
    const uses = this.#uses;
    try {
      if (!(await this.#options.touch())) this.#options.onSessionOver();
    } catch (error) {
      this.#options.onFailure(error);
    }
    this.#isTelling = false;
    if (this.#uses !== uses) this.#schedule(TOGETHER_MS);
    else if (this.#uses > 0) this.#schedule(TOUCH_INTERVAL_MS);
  }
}
