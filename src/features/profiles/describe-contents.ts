import type { BrowserState } from "../../platform/browser/index.ts";
import type { ProfileContents } from "./schema.ts";
import { parseStorage, type StoredStorage } from "./stored-storage.ts";

export const MAX_ENTRIES = 10_000;
export const MAX_CHARACTERS = 8 * 1024 * 1024;

const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/** Counts what a response may still contain. */
class Room {
  #entries = MAX_ENTRIES;
  #characters = MAX_CHARACTERS;
  isExceeded = false;

  /** @returns false if an entry with these texts does not fit. */
  take(...texts: string[]): boolean {
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (this.#entries === 0 || length > this.#characters) {
      this.isExceeded = true;
      return false;
    }
    this.#entries -= 1;
    this.#characters -= length;
    return true;
  }
}

/** Says what a profile holds, up to the limits. @throws if the storage of an origin is malformed. */
export function describeContents(
  state: BrowserState,
  { includesValues }: { includesValues: boolean },
): ProfileContents {
  const room = new Room();
  const cookies = state.cookies
    .filter(({ name, value, domain, path }) => room.take(name, domain, path, includesValues ? value : ""))
    .map((cookie) => describeCookie(cookie, includesValues));
  const origins = state.origins
    .filter(({ origin }) => room.take(origin))
    .map(({ origin, storage }) => ({
      origin,
      ...describeStorage(parseStorage(storage), room, includesValues),
    }));
  return { cookies, origins, truncated: room.isExceeded };
}

function describeCookie(
  {
    name,
    value,
    domain,
    path,
    expires,
    secure,
    httpOnly,
    sameSite,
    partitionKey,
  }: BrowserState["cookies"][0],
  includesValues: boolean,
): ProfileContents["cookies"][0] {
  const partition = typeof partitionKey === "object" ? partitionKey.topLevelSite : partitionKey;
  return {
    name,
    domain,
    path,
    ...(expires !== undefined && { expires_at: new Date(Math.min(expires * 1000, LAST_TIME)).toISOString() }),
    secure,
    http_only: httpOnly,
    ...(sameSite !== undefined && { same_site: sameSite }),
    ...(partition !== undefined && { partition_key: partition }),
    size_bytes: byteLength(name) + byteLength(value),
    ...(includesValues && { value }),
  };
}

function describeStorage(
  { localStorage, databases }: StoredStorage,
  room: Room,
  includesValues: boolean,
): Pick<ProfileContents["origins"][0], "local_storage" | "indexed_db"> {
  return {
    local_storage: localStorage
      .filter(([key, value]) => room.take(key, includesValues ? value : ""))
      .map(([key, value]) => ({
        key,
        size_bytes: byteLength(key) + byteLength(value),
        ...(includesValues && { value }),
      })),
    indexed_db: databases
      .filter(({ name }) => room.take(name))
      .map(({ name, version, stores }) => ({
        name,
        version,
        object_stores: stores
          .filter((store) => room.take(store.name))
          .map((store) => ({ name: store.name, records: store.records })),
      })),
  };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
