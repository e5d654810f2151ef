/** How long an unanswered command may wait before the browser is probed. */
export const QUIET_MS = 10_000;

export type Verdict = { action: "wait"; ms: number } | { action: "probe" } | { action: "give-up" };

/**
 * Detects a lost answer. A browser frame above the runtime's limit vanishes with every later one, without an
 * error or a close. If nothing arrives for {@link QUIET_MS} while a command waits, a probe is sent; if the
 * probe stays unanswered too, the connection is dead.
 */
export class SilenceWatch {
  #unanswered = 0;
  #probing = false;
  #lastFrameAt: number;

  constructor(now: number) {
    this.#lastFrameAt = now;
  }

  commandSent(now: number): void {
    if (this.#unanswered === 0) this.#lastFrameAt = now;
    this.#unanswered += 1;
  }

  frameReceived(now: number, options: { isAnswer: boolean }): void {
    this.#lastFrameAt = now;
    this.#probing = false;
    if (options.isAnswer && this.#unanswered > 0) this.#unanswered -= 1;
  }

  /** Whether a probe is unanswered. */
  get isProbing(): boolean {
    return this.#probing;
  }

  startAgain(now: number): void {
    this.#probing = false;
    this.#lastFrameAt = now;
  }

  check(now: number): Verdict {
    const remaining = this.#lastFrameAt + QUIET_MS - now;
    if (this.#unanswered === 0) return { action: "wait", ms: QUIET_MS };
    if (remaining > 0) return { action: "wait", ms: remaining };
    if (this.#probing) return { action: "give-up" };
    this.#probing = true;
    this.#lastFrameAt = now;
    return { action: "probe" };
  }
}
