interface EventLogOptions<T> {
  capacity: number;
  sizeOf: (event: T) => number;
  /** For writers that cannot wait. */
  dropsUnread?: boolean;
  /** Creates the event that a reader gets in place of those it has missed. */
  describeMissed?: (count: number) => T;
}

interface Reader {
  next: number;
  isClosed: boolean;
}

export interface EventReader<T> {
  /** Resolves to undefined at the end of the log and after `close`. */
  next(): Promise<T | undefined>;
  close(): void;
}

/**
 * A bounded log of events for any number of readers. At capacity the oldest event is dropped. If a reader
 * still needs it, `append` asks the writer to wait, unless `dropsUnread`.
 */
export class EventLog<T> {
  readonly #options: EventLogOptions<T>;
  readonly #readers = new Set<Reader>();
  readonly #events: T[] = [];
  #first = 0;
  #size = 0;
  #ended = false;
  #changed = Promise.withResolvers<void>();

  constructor(options: EventLogOptions<T>) {
    this.#options = options;
  }

  /** @returns a promise to await before the next event, if readers are behind. */
  append(event: T): Promise<void> | undefined {
    if (this.#ended) return undefined;
    this.#events.push(event);
    this.#size += this.#options.sizeOf(event);
    this.#trim();
    this.#notify();
    return this.#isFull ? this.#waitForRoom() : undefined;
  }

  end(): void {
    this.#ended = true;
    this.#notify();
  }

  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  read({ onlyNew = false } = {}): EventReader<T> {
    const next = this.#first + (onlyNew ? this.#events.length : 0);
    const reader: Reader = { next, isClosed: false };
    this.#readers.add(reader);
    return {
      next: () => this.#take(reader),
      close: () => {
        if (reader.isClosed) return;
        reader.isClosed = true;
        this.#readers.delete(reader);
        this.#trim();
        this.#notify();
      },
    };
  }

  async #take(reader: Reader): Promise<T | undefined> {
    while (!reader.isClosed) {
      const missed = this.#first - reader.next;
      reader.next = Math.max(reader.next, this.#first);
      if (missed > 0 && this.#options.describeMissed !== undefined)
        return this.#options.describeMissed(missed);
      const event = this.#events[reader.next - this.#first];
      if (event !== undefined) {
        reader.next += 1;
        this.#trim();
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

  #trim(): void {
    const unread = this.#options.dropsUnread ? [] : [...this.#readers];
    const taken = Math.min(...unread.map(({ next }) => next));
    let dropped = 0;
    while (this.#isFull && this.#first + dropped < taken && dropped < this.#events.length - 1) {
      const event = this.#events[dropped];
      if (event !== undefined) this.#size -= this.#options.sizeOf(event);
      dropped += 1;
    }
    if (dropped === 0) return;
    this.#events.splice(0, dropped);
    this.#first += dropped;
    this.#notify();
  }

  async #waitForRoom(): Promise<void> {
    while (this.#isFull && !this.#ended && this.#readers.size > 0) {
      await this.#changed.promise;
    }
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
