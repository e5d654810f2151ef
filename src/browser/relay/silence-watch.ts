/** How long the browser may be quiet while a command waits for its answer before it is asked for a sign of life. */
export const QUIET_MS = 10_000;

/** What to do about a connection now: nothing for `ms`, ask for a sign of life, or give it up. */
export type Verdict = { action: "wait"; ms: number } | { action: "probe" } | { action: "give-up" };

/**
 * Tells a slow answer from a lost one.
 *
 * A frame of the browser's above the runtime's limit vanishes, and with it every later one: no error, no close.
 * So silence is watched: while a command is unanswered and nothing has come for {@link QUIET_MS}, a probe goes
 * over the same socket; when that too stays without any answer, the connection is dead.
 */
export class SilenceWatch {
  #unanswered = 0;
  #probing = false;
  #lastHeardAt: number;

  constructor(now: number) {
    this.#lastHeardAt = now;
  }

  /** A command went to the browser. */
  commandSent(now: number): void {
    if (this.#unanswered === 0) this.#lastHeardAt = now;
    this.#unanswered += 1;
  }

  /** Any frame came from the browser. */
  heard(now: number, options: { isAnswer: boolean }): void {
    this.#lastHeardAt = now;
    this.#probing = false;
    if (options.isAnswer && this.#unanswered > 0) this.#unanswered -= 1;
  }

  /** What is to be done now. A probe that it asks for counts as sent. */
  judge(now: number): Verdict {
    const remaining = this.#lastHeardAt + QUIET_MS - now;
    if (this.#unanswered === 0) return { action: "wait", ms: QUIET_MS };
    if (remaining > 0) return { action: "wait", ms: remaining };
    if (this.#probing) return { action: "give-up" };
    this.#probing = true;
    this.#lastHeardAt = now;
    return { action: "probe" };
  }
}
