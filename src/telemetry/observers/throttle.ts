const MAX_RECORDED_PER_SECOND = 200;

/** What each source may record also while others flood. */
const MIN_RECORDED_PER_SECOND = 20;

/** Sources that send more than their share of this are told to stop until the second is over. */
const MAX_RECEIVED_PER_SECOND = 1000;

/** Throttles of all sessions of this isolate whose sources were told to stop. They share what one may receive. */
const flooded = new Set<Throttle>();

/** Where events come from. */
interface Source {
  pause(): void;
  resume(): void;
}

/** Limits the events of one kind in a session, so that pages and workers that flood them do not slow it or others. */
export class Throttle {
  readonly #onDropped: (count: number) => void;
  readonly #sources = new Set<Source>();
  readonly #paused = new Set<Source>();
  /** Of this second. */
  readonly #counts = new Map<Source | undefined, number>();
  #received = 0;
  #recorded = 0;
  #timer: number | null = null;

  constructor(onDropped: (count: number) => void) {
    this.#onDropped = onDropped;
  }

  /** @returns whether the source may send; otherwise it is resumed. */
  add(source: Source): boolean {
    this.#sources.add(source);
    if (this.#received >= MAX_RECEIVED_PER_SECOND) this.#paused.add(source);
    return !this.#paused.has(source);
  }

  remove(source: Source): void {
    this.#sources.delete(source);
    this.#paused.delete(source);
  }

  /** @returns whether to record another event. */
  admit(source?: Source): boolean {
    this.#timer ??= setTimeout(() => this.#endSecond(), 1000);
    this.#received += 1;
    const ofSource = (this.#counts.get(source) ?? 0) + 1;
    this.#counts.set(source, ofSource);
    const share = MAX_RECEIVED_PER_SECOND / this.#counts.size / Math.max(1, flooded.size);
    if (source !== undefined && ofSource >= share && this.#sources.has(source)) this.#pause(source);
    const isWithinFloor = ofSource <= MIN_RECORDED_PER_SECOND && this.#received <= MAX_RECEIVED_PER_SECOND;
    if (this.#recorded >= MAX_RECORDED_PER_SECOND && !isWithinFloor) return false;
    this.#recorded += 1;
    return true;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#paused.clear();
    flooded.delete(this);
    this.#report();
  }

  #pause(source: Source): void {
    if (this.#paused.has(source)) return;
    this.#paused.add(source);
    flooded.add(this);
    source.pause();
  }

  #endSecond(): void {
    this.#timer = null;
    this.#report();
    const paused = [...this.#paused];
    this.#paused.clear();
    if (paused.length === 0) flooded.delete(this);
    // Sources that still flood are told to stop again, and the throttle stays flooded meanwhile.
    else this.#timer = setTimeout(() => this.#endSecond(), 1000);
    for (const source of paused) source.resume();
  }

  #report(): void {
    const dropped = this.#received - this.#recorded;
    this.#received = 0;
    this.#recorded = 0;
    this.#counts.clear();
    if (dropped > 0) this.#onDropped(dropped);
  }
}
