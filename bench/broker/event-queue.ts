interface Event {
  at: number;
  run: () => void;
}

/** Runs events in the order of their times: a virtual clock. */
export class EventQueue {
  readonly #heap: Event[] = [];
  now = 0;

  add(at: number, run: () => void): void {
    const heap = this.#heap;
    heap.push({ at: Math.max(at, this.now), run });
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (this.#at(parent) <= this.#at(child)) return;
      this.#swap(parent, child);
      child = parent;
    }
  }

  runAll(): void {
    for (let event = this.#take(); event !== undefined; event = this.#take()) {
      this.now = event.at;
      event.run();
    }
  }

  #take(): Event | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      const child = this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(parent) <= this.#at(child)) return first;
      this.#swap(parent, child);
      parent = child;
    }
  }

  #at(index: number): number {
    return this.#heap[index]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swap(first: number, second: number): void {
    const [one, other] = [this.#heap[first], this.#heap[second]];
    if (one === undefined || other === undefined) return;
    this.#heap[first] = other;
    this.#heap[second] = one;
  }
}
