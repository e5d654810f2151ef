import { describe, expect, it } from "vitest";
import { isIdentifier, newIdentifier } from "../../../src/lib/common/identifiers.ts";

describe("newIdentifier", () => {
  it("returns 24 lower-case letters and digits, never the same", () => {
    const identifiers = Array.from({ length: 2000 }, newIdentifier);
    for (const identifier of identifiers) expect(identifier).toMatch(/^[0-9a-z]{24}$/);
    expect(new Set(identifiers).size).toBe(identifiers.length);
  });

  it("uses every letter and digit about equally often", () => {
    const counts = new Map<string, number>();
    for (const letter of Array.from({ length: 12_000 }, newIdentifier).join("")) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect(counts.size).toBe(36);
    // Each is expected 8000 times, with a standard deviation of 88; modulo bias would give some 9000.
    for (const count of counts.values()) expect(Math.abs(count - 8000)).toBeLessThan(600);
  });
});

describe("isIdentifier", () => {
  it.each([
    ["htzv5orfit78e1m2biiifpbv", true],
    ["000000000000000000000000", true],
    ["htzv5orfit78e1m2biiifpb", false],
    ["htzv5orfit78e1m2biiifpbvv", false],
    ["HTZV5ORFIT78E1M2BIIIFPBV", false],
    ["htzv5orfit78e1m2biiifpb-", false],
    ["htzv5orfit78e1m2biiifpbv\n", false],
    ["", false],
  ])("%j: %s", (text, expected) => {
    expect(isIdentifier(text)).toBe(expected);
  });
});
