const CAPACITY = 1000;

interface Spacing {
  /** Keys that come more often wait. */
  intervalMs: number;
  /** What comes within this time of the interval's pace does not wait. */
  freeMs: number;
  maxDelayMs: number;
}

/** Spreads what the same key causes, such as the refusals of an organization. */
export class Spacer {
  readonly #spacing: Spacing;
  /** When the next one is due, by key, the longest unused key first. */
  readonly #dueAt = new Map<string, number>();

  constructor(spacing: Spacing) {
    this.#spacing = spacing;
  }

  /** @returns how many milliseconds this one has to wait. */
  add(key: string, now: number): number {
    const { intervalMs, freeMs, maxDelayMs } = this.#spacing;
    const dueAt = Math.max(this.#dueAt.get(key) ?? 0, now);
    this.#dueAt.delete(key);
    this.#dueAt.set(key, Math.min(dueAt + intervalMs, now + freeMs + maxDelayMs));
    const [longest] = this.#dueAt.keys();
    if (this.#dueAt.size > CAPACITY && longest !== undefined) this.#dueAt.delete(longest);
    return Math.max(0, Math.min(dueAt - now - freeMs, maxDelayMs));
  }
}
