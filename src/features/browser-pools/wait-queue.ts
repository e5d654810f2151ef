/** Disposal leaves the queue. */
export interface Place<T> extends Disposable {
  /** Undefined after the time-out and once cancelled. More calls wait for other items in the same place. */
  next(): Promise<T | undefined>;
  readonly isCancelled: boolean;
}

interface Waiter<T> {
  id: string;
  deadline: number;
  isCancelled: boolean;
  waiting: PromiseWithResolvers<T | undefined> | undefined;
}

/** A first-come, first-served queue of callers that wait for free items. */
export class WaitQueue<T> {
  readonly #take: () => T | undefined;
  readonly #waiters: Waiter<T>[] = [];

  constructor(take: () => T | undefined) {
    this.#take = take;
  }

  get length(): number {
    return this.#waiters.length;
  }

  /** A `waitMs` of 0 takes only items that are free now. */
  join(id: string, waitMs: number): Place<T> {
    const waiter: Waiter<T> = { id, deadline: Date.now() + waitMs, isCancelled: false, waiting: undefined };
    this.#waiters.push(waiter);
    return {
      next: () => this.#next(waiter),
      get isCancelled() {
        return waiter.isCancelled;
      },
      [Symbol.dispose]: () => {
        const index = this.#waiters.indexOf(waiter);
        if (index !== -1) this.#waiters.splice(index, 1);
      },
    };
  }

  cancel(id: string): void {
    for (const waiter of this.#waiters) {
      if (waiter.id !== id) continue;
      waiter.isCancelled = true;
      waiter.waiting?.resolve(undefined);
    }
  }

  cancelAll(): void {
    for (const { id } of [...this.#waiters]) this.cancel(id);
  }

  /** Hands out free items. Call it whenever an item becomes free. */
  dispatch(): void {
    for (const waiter of this.#waiters) {
      if (waiter.waiting === undefined || waiter.isCancelled) continue;
      const item = this.#take();
      if (item === undefined) return;
      waiter.waiting.resolve(item);
      waiter.waiting = undefined;
    }
  }

  async #next(waiter: Waiter<T>): Promise<T | undefined> {
    if (waiter.isCancelled) return undefined;
    const waiting = Promise.withResolvers<T | undefined>();
    waiter.waiting = waiting;
    this.dispatch();
    const timer = setTimeout(
      () => {
        // An item dispatched at the same moment wins over the time-out.
        if (waiter.waiting === waiting) waiter.waiting = undefined;
        waiting.resolve(undefined);
      },
      Math.max(0, waiter.deadline - Date.now()),
    );
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
      if (waiter.waiting === waiting) waiter.waiting = undefined;
    }
  }
}
