import { beforeEach, describe, expect, it } from "vitest";
import { ALL_RIGHTS } from "../../../src/features/organizations/api-keys/api-key.ts";
import type { APIKeyCaller } from "../../../src/features/organizations/caller.ts";
import { KeyCache } from "../../../src/features/organizations/key-cache.ts";

const NOW = 1_000_000;

function caller(details: Partial<APIKeyCaller> = {}): APIKeyCaller {
  return {
    organizationId: "organization",
    keyId: "key",
    projectId: "",
    rights: ALL_RIGHTS,
    scope: "organization",
    invocationId: null,
    expiresAt: null,
    organizationDisabled: false,
    keyName: "ci",
    maxConcurrentSessions: null,
    hasOwnLimits: false,
    weight: 1,
    ...details,
  };
}

describe("KeyCache", () => {
  let cache: KeyCache<APIKeyCaller>;
  beforeEach(() => {
    cache = new KeyCache();
  });

  it("returns nothing for an unknown key", () => {
    expect(cache.get("hash", NOW)).toBeUndefined();
    expect(cache.getStale("hash", NOW)).toBeUndefined();
  });

  it("keeps a key for 30 seconds, and for 5 minutes as stale", () => {
    cache.set("hash", caller(), NOW);
    expect(cache.get("hash", NOW + 30_000)).toEqual(caller());
    expect(cache.get("hash", NOW + 30_001)).toBeUndefined();
    expect(cache.getStale("hash", NOW + 300_000)).toEqual(caller());
    expect(cache.getStale("hash", NOW + 300_001)).toBeUndefined();
  });

  it("never keeps a key past its expiry", () => {
    cache.set("hash", caller({ expiresAt: NOW + 10_000 }), NOW);
    expect(cache.get("hash", NOW + 9_999)).toBeDefined();
    expect(cache.get("hash", NOW + 10_000)).toBeUndefined();
    expect(cache.getStale("hash", NOW + 10_000)).toBeUndefined();
  });

  it("keeps the 1000 most recently set keys", () => {
    for (let number = 0; number < 1000; number += 1) cache.set(`hash ${number}`, caller(), NOW);
    cache.set("hash 0", caller(), NOW);
    cache.set("one more", caller(), NOW);
    expect(cache.get("hash 1", NOW)).toBeUndefined();
    expect(cache.get("hash 0", NOW)).toBeDefined();
    expect(cache.get("hash 2", NOW)).toBeDefined();
    expect(cache.get("one more", NOW)).toBeDefined();
  });

  it("deletes a key", () => {
    cache.set("hash", caller(), NOW);
    cache.set("other", caller(), NOW);
    cache.delete("hash");
    expect(cache.getStale("hash", NOW)).toBeUndefined();
    expect(cache.get("other", NOW)).toBeDefined();
  });

  it("deletes the keys of one organization only", () => {
    cache.set("first", caller(), NOW);
    cache.set("second", caller({ keyId: "second" }), NOW);
    cache.set("other", caller({ organizationId: "another" }), NOW);
    cache.deleteOrganization("organization");
    expect(cache.get("first", NOW)).toBeUndefined();
    expect(cache.get("second", NOW)).toBeUndefined();
    expect(cache.get("other", NOW)).toBeDefined();
  });
});
