import type { Caller } from "./caller.ts";

const CAPACITY = 1000;
const FRESH_MS = 30_000;
const USABLE_WITHOUT_DATABASE_MS = 5 * 60_000;

interface Entry {
  caller: Caller;
  readAt: number;
}

/**
 * Keys that were looked up lately, by hash, for one isolate. Only valid keys are kept: an unknown one is asked
 * for anew each time, so that a key works the moment it exists.
 */
export class KeyCache {
  readonly #entries = new Map<string, Entry>();

  /** The caller of a key read within the last 30 seconds. */
  fresh(keyHash: string, now: number): Caller | undefined {
    return this.#read(keyHash, now, FRESH_MS);
  }

  /** The caller of a key read within the last 5 minutes, for when the database does not answer. */
  withoutDatabase(keyHash: string, now: number): Caller | undefined {
    return this.#read(keyHash, now, USABLE_WITHOUT_DATABASE_MS);
  }

  keep(keyHash: string, caller: Caller, now: number): void {
    this.#entries.delete(keyHash);
    this.#entries.set(keyHash, { caller, readAt: now });
    if (this.#entries.size <= CAPACITY) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  forget(keyHash: string): void {
    this.#entries.delete(keyHash);
  }

  forgetOrganization(organizationId: string): void {
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
