const CAPACITY = 1000;
const MAX_AGE_MS = 30_000;
const MAX_STALE_AGE_MS = 5 * 60_000;

interface Cached {
  organizationId: string;
  /** Milliseconds since the epoch; null: never. */
  expiresAt: number | null;
}

interface Entry<T> {
  value: T;
  readAt: number;
}

/** An isolate's cache, such as of callers by key hash or id. Misses are not kept: new keys work at once. */
export class KeyCache<T extends Cached> {
  readonly #entries = new Map<string, Entry<T>>();

  get(key: string, now: number): T | undefined {
    return this.#read(key, now, MAX_AGE_MS);
  }

  getStale(key: string, now: number): T | undefined {
    return this.#read(key, now, MAX_STALE_AGE_MS);
  }

  set(key: string, value: T, now: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, readAt: now });
    if (this.#entries.size <= CAPACITY) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  deleteKey({ keyHash, id }: { keyHash: string; id: string }): void {
    this.delete(keyHash);
    this.delete(id);
  }

  deleteOrganization(organizationId: string): void {
    for (const [key, { value }] of this.#entries) {
      if (value.organizationId === organizationId) this.#entries.delete(key);
    }
  }

  #read(key: string, now: number, maxAgeMs: number): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || now - entry.readAt > maxAgeMs) return undefined;
    if (entry.value.expiresAt !== null && entry.value.expiresAt <= now) return undefined;
    return entry.value;
  }
}
