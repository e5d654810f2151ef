import type { Caller } from "./caller.ts";

const CAPACITY = 1000;
const MAX_AGE_MS = 30_000;
const MAX_STALE_AGE_MS = 5 * 60_000;

interface Entry {
  caller: Caller;
  readAt: number;
}

/**
 * Caches the callers of valid keys for one isolate, by hash. Unknown keys are not cached, so a new key works
 * at once.
 */
export class KeyCache {
  readonly #entries = new Map<string, Entry>();

  get(keyHash: string, now: number): Caller | undefined {
    return this.#read(keyHash, now, MAX_AGE_MS);
  }

  getStale(keyHash: string, now: number): Caller | undefined {
    return this.#read(keyHash, now, MAX_STALE_AGE_MS);
  }

  set(keyHash: string, caller: Caller, now: number): void {
    this.#entries.delete(keyHash);
    this.#entries.set(keyHash, { caller, readAt: now });
    if (this.#entries.size <= CAPACITY) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  delete(keyHash: string): void {
    this.#entries.delete(keyHash);
  }

  deleteOrganization(organizationId: string): void {
    for (const [keyHash, { caller }] of this.#entries) {
      if (caller.organizationId === organizationId) this.#entries.delete(keyHash);
    }
  }

  #read(keyHash: string, now: number, maxAgeMs: number): Caller | undefined {
    const entry = this.#entries.get(keyHash);
    if (entry === undefined || now - entry.readAt > maxAgeMs) return undefined;
    if (entry.caller.expiresAt !== null && entry.caller.expiresAt <= now) return undefined;
    return entry.caller;
  }
}
