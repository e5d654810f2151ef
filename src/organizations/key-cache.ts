import type { Caller } from "./caller.ts";

const CAPACITY = 1000;
const MAX_AGE_MS = 30_000;
const MAX_STALE_AGE_MS = 5 * 60_000;

interface Entry {
  caller: Caller;
  readAt: number;
}

/**
 * Caches the callers of valid keys for one isolate, by the key's hash or id. Unknown keys are not cached, so a
 * new key works at once.
 */
export class KeyCache {
  readonly #entries = new Map<string, Entry>();

  get(key: string, now: number): Caller | undefined {
    return this.#read(key, now, MAX_AGE_MS);
  }

  getStale(key: string, now: number): Caller | undefined {
    return this.#read(key, now, MAX_STALE_AGE_MS);
  }

  set(key: string, caller: Caller, now: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { caller, readAt: now });
    if (this.#entries.size <= CAPACITY) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Forgets a key by its hash and its id. */
  deleteKey({ keyHash, id }: { keyHash: string; id: string }): void {
    this.delete(keyHash);
    this.delete(id);
  }

  deleteOrganization(organizationId: string): void {
    for (const [key, { caller }] of this.#entries) {
      if (caller.organizationId === organizationId) this.#entries.delete(key);
    }
  }

  #read(key: string, now: number, maxAgeMs: number): Caller | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || now - entry.readAt > maxAgeMs) return undefined;
    if (entry.caller.expiresAt !== null && entry.caller.expiresAt <= now) return undefined;
    return entry.caller;
  }
}
