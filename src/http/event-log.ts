interface EventLogOptions<T> {
  /** How much of the past is kept for readers to come. */
  capacity: number;
  sizeOf: (event: T) => number;
  /** Whether also what readers have yet to take is forgotten: for writers that cannot wait. */
  forgetsUnread?: boolean;
}

interface Reader {
  /** Number of the event that it takes next. */
  next: number;
  isClosed: boolean;
}

export interface EventReader<T> {
  /** The next event, once there is one; undefined at the end, and when the reader was closed. */
  next(): Promise<T | undefined>;
  close(): void;
}

/**
 * Events in their order, for any number of readers: each gets all that is kept of the past, then what comes. The
 * oldest is forgotten where more is there than the log may keep; where a reader has yet to take it, the writer is
 * asked to wait instead, unless the log forgets that too.
 */
export class EventLog<T> {
  readonly #options: EventLogOptions<T>;
  readonly #readers = new Set<Reader>();
  readonly #events: T[] = [];
  /** Number of the oldest event that is kept. */
  #first = 0;
  #size = 0;
  #ended = false;
  #changed = Promise.withResolvers<void>();

  constructor(options: EventLogOptions<T>) {
    this.#options = options;
  }

  /** @returns a promise to wait for with the next event where readers are behind. */
  append(event: T): Promise<void> | undefined {
    if (this.#ended) return undefined;
    this.#events.push(event);
    this.#size += this.#options.sizeOf(event);
    this.#forget();
    this.#notify();
    return this.#isFull ? this.#untilRoom() : undefined;
  }

  /** No more events come: readers end when they have taken what there is. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  /** Reads what is kept of the past and then what comes. Whoever reads closes. */
  read(): EventReader<T> {
    const reader: Reader = { next: this.#first, isClosed: false };
    this.#readers.add(reader);
    return {
      next: () => this.#take(reader),
      close: () => {
        if (reader.isClosed) return;
        reader.isClosed = true;
        this.#readers.delete(reader);
        this.#forget();
        this.#notify();
      },
    };
  }

  async #take(reader: Reader): Promise<T | undefined> {
    while (!reader.isClosed) {
      reader.next = Math.max(reader.next, this.#first);
      const event = this.#events[reader.next - this.#first];
      if (event !== undefined) {
        reader.next += 1;
        this.#forget();
        return event;
      }
      if (this.#ended) return undefined;
      await this.#changed.promise;
    }
    return undefined;
  }

  get #isFull(): boolean {
    return this.#size > this.#options.capacity;
  }

  /** Forgets the oldest until the log keeps no more than it may. */
  #forget(): void {
    const unread = this.#options.forgetsUnread ? [] : [...this.#readers];
    const taken = Math.min(...unread.map(({ next }) => next));
    let forgotten = 0;
    while (this.#isFull && this.#first + forgotten < taken && forgotten < this.#events.length - 1) {
      const event = this.#events[forgotten];
      if (event !== undefined) this.#size -= this.#options.sizeOf(event);
      forgotten += 1;
    }
    if (forgotten === 0) return;
    this.#events.splice(0, forgotten);
    this.#first += forgotten;
    this.#notify();
  }

  async #untilRoom(): Promise<void> {
    while (this.#isFull && !this.#ended && this.#readers.size > 0) {
      await this.#changed.promise;
    }
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
