import { describe, expect, it } from "vitest";
import { formatDue, shortenId } from "../../../web/console/ui/format.ts";

describe("shortenId", () => {
  it.each([
    ["o4h8w2k6m1n5p9r3s7t2qd0b", "o4h8w2k6…2qd0b"],
    ["short", "short"],
    ["", ""],
  ])("makes %j %j", (id, expected) => {
    expect(shortenId(id)).toBe(expected);
  });
});

describe("formatDue", () => {
  it.each([
    [-180_000, "now"],
    [0, "now"],
    [4000, "now"],
    [30_000, "in 30 s"],
    [180_000, "in 3 min"],
  ])("shows a time %i ms from now as %s", (distance, expected) => {
    const now = 1_800_000_000_000;
    expect(formatDue(now + distance, now)).toBe(expected);
  });
});
