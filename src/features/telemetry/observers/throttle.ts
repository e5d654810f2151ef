import type { DroppedEvents } from "../../../platform/browser/index.ts";

const MAX_RECORDED_PER_SECOND = 200;

/** What each source may record even while others are flooding. */
const MIN_RECORDED_PER_SECOND = 20;

/** Sources that send more than their share of this are told to stop, at first until the second is over. */
const MAX_RECEIVED_PER_SECOND = 1000;

/** A source that floods again as soon as it is resumed is paused for twice as long, up to this. */
const MAX_PAUSE_SECONDS = 8;

/** Throttles of this isolate's sessions whose sources were told to stop. They share what one may receive. */
const flooded = new Set<Throttle>();

/** Where events come from. */
export interface Source {
  enable(): Promise<void>;
  disable(): Promise<void>;
  /** Drops events that the browser still sends after it was told to stop. */
  drop(): DroppedEvents;
}

/** Limits a session's events of one kind, so pages and workers that flood them slow down no session. */
export class Throttle {
  readonly #onDropped: (count: number) => void;
  readonly #sources = new Set<Source>();
  /** Seconds until they are resumed. */
  readonly #paused = new Map<Source, number>();
  readonly #dropped = new Map<Source, DroppedEvents>();
  /** Seconds of the last pause of sources that flood. */
  readonly #pauses = new Map<Source, number>();
  /** Of this second. */
  readonly #counts = new Map<Source | undefined, number>();
  #received = 0;
  #recorded = 0;
  #timer: number | null = null;

  constructor(onDropped: (count: number) => void) {
    this.#onDropped = onDropped;
  }

  /** @returns whether the source may be enabled now; otherwise it is enabled later. */
  add(source: Source): boolean {
    this.#sources.add(source);
    if (this.#received >= MAX_RECEIVED_PER_SECOND) this.#paused.set(source, 1);
    return !this.#paused.has(source);
  }

  remove(source: Source): void {
    this.#sources.delete(source);
    this.#paused.delete(source);
    this.#pauses.delete(source);
    this.#endDropping(source);
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
    const seconds = Math.min(2 * (this.#pauses.get(source) ?? 0.5), MAX_PAUSE_SECONDS);
    this.#pauses.set(source, seconds);
    this.#paused.set(source, seconds);
    flooded.add(this);
    this.#dropped.set(source, source.drop());
    void source.disable();
  }

  async #resume(source: Source): Promise<void> {
    this.#paused.delete(source);
    await source.enable();
    this.#endDropping(source);
  }

  #endDropping(source: Source): void {
    this.#dropped.get(source)?.end();
    this.#dropped.delete(source);
  }

  #endSecond(): void {
    this.#timer = null;
    this.#report();
    // Sources that keep flooding are paused again, and the throttle stays flooded in the meantime.
    if (this.#paused.size > 0) this.#timer = setTimeout(() => this.#endSecond(), 1000);
    else flooded.delete(this);
    for (const source of this.#pauses.keys()) if (!this.#paused.has(source)) this.#pauses.delete(source);
    for (const [source, seconds] of this.#paused) {
      if (seconds > 1) this.#paused.set(source, seconds - 1);
      else void this.#resume(source);
    }
  }

  #report(): void {
    const dropped = this.#received - this.#recorded;
    this.#received = 0;
    this.#recorded = 0;
    this.#counts.clear();
    if (dropped > 0) this.#onDropped(dropped);
  }
}
