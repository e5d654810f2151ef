/** What of a session's use survives a restart of its object. */
export interface PersistedActivity {
  /** Since when nothing has used the session, in milliseconds since the epoch; null while something does. */
  idleSince: number | null;
}

/**
 * What uses a session now: open connections, and calls from their arrival to the end of their answer. The
 * inactivity clock starts when the last of them ends; each new one resets it.
 */
export class Activity {
  readonly #persist: (activity: PersistedActivity) => void;
  #inUse = 0;
  #idleSince: number;

  /** @param persist called on each change between used and idle. */
  constructor(idleSince: number, persist: (activity: PersistedActivity) => void) {
    this.#idleSince = idleSince;
    this.#persist = persist;
  }

  /** Begins a use; its end is the disposal of what is returned. Ending it twice is ending it once. */
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

  /** Notes a use that is over at once. */
  touch(): void {
    this.begin()[Symbol.dispose]();
  }

  /** When the session's time is up if nothing uses it again; undefined while something does. */
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
 * Since when a session is idle, seen by an object that has just started: what was open ended with the object
 * before it, whose last moment nobody wrote down, so its clock starts now.
 */
export function idleSinceAfterRestart(persisted: PersistedActivity | undefined, now: number): number {
  return persisted?.idleSince ?? now;
}
