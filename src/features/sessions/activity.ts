export interface PersistedActivity {
  /** When the session was last in use, in milliseconds since the epoch; null while it is in use. */
  idleSince: number | null;
}

/**
 * Counts the uses of a session: open connections, and calls until their response ends. The inactivity
 * time-out starts when the last use ends, and a new use resets it.
 */
export class Activity {
  readonly #persist: (activity: PersistedActivity) => void;
  #inUse = 0;
  #idleSince: number;

  /** @param persist is called when the session becomes used or idle. */
  constructor(idleSince: number, persist: (activity: PersistedActivity) => void) {
    this.#idleSince = idleSince;
    this.#persist = persist;
  }

  /** Begins a use, which lasts until the result is disposed of. */
  begin(): Disposable {
    this.#inUse += 1;
    if (this.#inUse === 1) this.#persist({ idleSince: null });
    let ended = false;
    return {
      [Symbol.dispose]: () => {
        if (ended) return;
        ended = true;
        this.#end(Date.now());
      },
    };
  }

  /** Resets the inactivity time-out. */
  touch(): void {
    this.begin()[Symbol.dispose]();
  }

  /** In milliseconds since the epoch; null while it is in use. */
  get idleSince(): number | null {
    return this.#inUse > 0 ? null : this.#idleSince;
  }

  /** When the session times out; undefined while it is in use. */
  expiresAt(timeoutMs: number): number | undefined {
    return this.#inUse > 0 ? undefined : this.#idleSince + timeoutMs;
  }

  #end(now: number): void {
    this.#inUse -= 1;
    if (this.#inUse > 0) return;
    this.#idleSince = now;
    this.#persist({ idleSince: now });
  }
}

/**
 * Since when a session is idle after a restart of its object. Connections that were open ended with the
 * earlier object at an unknown time, so the time-out starts now.
 */
export function idleSinceAfterRestart(persisted: PersistedActivity | undefined, now: number): number {
  return persisted?.idleSince ?? now;
}
