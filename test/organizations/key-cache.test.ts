import { beforeEach, describe, expect, it } from "vitest";
import type { APIKeyCaller } from "../../src/organizations/caller.ts";
import { KeyCache } from "../../src/organizations/key-cache.ts";

const NOW = 1_000_000;

function caller(details: Partial<APIKeyCaller> = {}): APIKeyCaller {
  return {
    organizationId: "organization",
    keyId: "key",
    scope: "organization",
    invocationId: null,
    expiresAt: null,
    organizationDisabled: false,
    ...details,
  };
}

describe("KeyCache", () => {
  let cache: KeyCache;
  beforeEach(() => {
    cache = new KeyCache();
  });

  it("knows no key that was not kept", () => {
    expect(cache.fresh("hash", NOW)).toBeUndefined();
    expect(cache.withoutDatabase("hash", NOW)).toBeUndefined();
  });

  it("holds a key for 30 seconds, and for 5 minutes without the database", () => {
    cache.keep("hash", caller(), NOW);
    expect(cache.fresh("hash", NOW + 30_000)).toEqual(caller());
    expect(cache.fresh("hash", NOW + 30_001)).toBeUndefined();
    expect(cache.withoutDatabase("hash", NOW + 300_000)).toEqual(caller());
    expect(cache.withoutDatabase("hash", NOW + 300_001)).toBeUndefined();
  });

  it("never holds a key past its expiry", () => {
    cache.keep("hash", caller({ expiresAt: NOW + 10_000 }), NOW);
    expect(cache.fresh("hash", NOW + 9_999)).toBeDefined();
    expect(cache.fresh("hash", NOW + 10_000)).toBeUndefined();
    expect(cache.withoutDatabase("hash", NOW + 10_000)).toBeUndefined();
  });

  it("holds the 1000 keys that were kept last", () => {
    for (let number = 0; number < 1000; number += 1) cache.keep(`hash ${number}`, caller(), NOW);
    cache.keep("hash 0", caller(), NOW);
    cache.keep("one more", caller(), NOW);
    expect(cache.fresh("hash 1", NOW)).toBeUndefined();
    expect(cache.fresh("hash 0", NOW)).toBeDefined();
    expect(cache.fresh("hash 2", NOW)).toBeDefined();
    expect(cache.fresh("one more", NOW)).toBeDefined();
  });

  it("forgets a key", () => {
    cache.keep("hash", caller(), NOW);
    cache.keep("other", caller(), NOW);
    cache.forget("hash");
    expect(cache.withoutDatabase("hash", NOW)).toBeUndefined();
    expect(cache.fresh("other", NOW)).toBeDefined();
  });

  it("forgets every key of an organization and no other", () => {
    cache.keep("first", caller(), NOW);
    cache.keep("second", caller({ keyId: "second" }), NOW);
    cache.keep("other", caller({ organizationId: "another" }), NOW);
    cache.forgetOrganization("organization");
    expect(cache.fresh("first", NOW)).toBeUndefined();
    expect(cache.fresh("second", NOW)).toBeUndefined();
    expect(cache.fresh("other", NOW)).toBeDefined();
  });
});
