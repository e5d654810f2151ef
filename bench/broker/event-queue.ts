interface Event {
  at: number;
  run: () => void;
}

/** Runs events in the order of their times: a virtual clock. */
export class EventQueue {
  /** The next one is last, because most are added near it. */
  readonly #events: Event[] = [];
  now = 0;

  add(at: number, run: () => void): void {
    const event = { at: Math.max(at, this.now), run };
    const index = this.#events.findLastIndex((later) => later.at > event.at);
    this.#events.splice(index + 1, 0, event);
  }

  runAll(): void {
    for (let event = this.#events.pop(); event !== undefined; event = this.#events.pop()) {
      this.now = event.at;
      event.run();
    }
  }
}
