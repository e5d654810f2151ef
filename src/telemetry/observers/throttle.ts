const MAX_RECORDED_PER_SECOND = 200;

/** A browser that sends more than this is told to stop until the second is over. */
const MAX_RECEIVED_PER_SECOND = 1000;

/** Where events come from. */
interface Source {
  pause(): void;
  resume(): void;
}

/** Limits the events of one kind, so that pages and workers that flood them do not slow their session. */
export class Throttle {
  readonly #onDropped: (count: number) => void;
  readonly #sources = new Set<Source>();
  #received = 0;
  #isPaused = false;
  #timer: number | null = null;

  constructor(onDropped: (count: number) => void) {
    this.#onDropped = onDropped;
  }

  /** Whether sources are to send nothing until they are resumed. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  add(source: Source): void {
    this.#sources.add(source);
  }

  remove(source: Source): void {
    this.#sources.delete(source);
  }

  /** @returns whether to record another event. */
  admit(): boolean {
    this.#timer ??= setTimeout(() => this.#endSecond(), 1000);
    this.#received += 1;
    if (this.#received === MAX_RECEIVED_PER_SECOND) {
      this.#isPaused = true;
      for (const source of this.#sources) source.pause();
    }
    return this.#received <= MAX_RECORDED_PER_SECOND;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#isPaused = false;
    this.#report();
  }

  #endSecond(): void {
    this.#timer = null;
    this.#report();
    if (!this.#isPaused) return;
    this.#isPaused = false;
    for (const source of this.#sources) source.resume();
  }

  #report(): void {
    const dropped = this.#received - MAX_RECORDED_PER_SECOND;
    this.#received = 0;
    if (dropped > 0) this.#onDropped(dropped);
  }
}
