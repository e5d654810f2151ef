/** Somebody's place in a line. Ending it (by disposal) leaves the line. */
export interface Turn<T> extends Disposable {
  /**
   * The next thing that is this turn's, in the order of the line; undefined when its time is up or whoever stands
   * there has left. May be asked again where the thing is no good: the place in the line is kept.
   */
  next(): Promise<T | undefined>;
  /** Whether whoever stands there has left. */
  readonly hasLeft: boolean;
}

interface Place<T> {
  id: string;
  deadline: number;
  hasLeft: boolean;
  waiting: PromiseWithResolvers<T | undefined> | undefined;
}

/** Callers who wait for things to become free; who came first is served first. */
export class WaitingLine<T> {
  readonly #take: () => T | undefined;
  readonly #places: Place<T>[] = [];

  /** @param take gives the next free thing away, if there is one. */
  constructor(take: () => T | undefined) {
    this.#take = take;
  }

  get length(): number {
    return this.#places.length;
  }

  /**
   * @param id names the place, for {@link leave}.
   * @param waitMs how long to wait in all; 0: only for what is free now.
   */
  join(id: string, waitMs: number): Turn<T> {
    const place: Place<T> = { id, deadline: Date.now() + waitMs, hasLeft: false, waiting: undefined };
    this.#places.push(place);
    return {
      next: () => this.#next(place),
      get hasLeft() {
        return place.hasLeft;
      },
      [Symbol.dispose]: () => {
        const index = this.#places.indexOf(place);
        if (index !== -1) this.#places.splice(index, 1);
      },
    };
  }

  /** Whoever stands at that place waits no more. */
  leave(id: string): void {
    for (const place of this.#places) {
      if (place.id !== id) continue;
      place.hasLeft = true;
      place.waiting?.resolve(undefined);
    }
  }

  /** Nobody waits any more. */
  leaveAll(): void {
    for (const { id } of [...this.#places]) this.leave(id);
  }

  /** Gives away what is free. To be called whenever something has become free. */
  serve(): void {
    for (const place of this.#places) {
      if (place.waiting === undefined || place.hasLeft) continue;
      const thing = this.#take();
      if (thing === undefined) return;
      place.waiting.resolve(thing);
      place.waiting = undefined;
    }
  }

  async #next(place: Place<T>): Promise<T | undefined> {
    if (place.hasLeft) return undefined;
    const waiting = Promise.withResolvers<T | undefined>();
    place.waiting = waiting;
    this.serve();
    const timer = setTimeout(
      () => {
        // What was given away in the same moment stays given.
        if (place.waiting === waiting) place.waiting = undefined;
        waiting.resolve(undefined);
      },
      Math.max(0, place.deadline - Date.now()),
    );
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
      if (place.waiting === waiting) place.waiting = undefined;
    }
  }
}
