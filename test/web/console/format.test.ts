import { describe, expect, it } from "vitest";
import { shortenId } from "../../../web/console/ui/format.ts";

describe("shortenId", () => {
  it.each([
    ["o4h8w2k6m1n5p9r3s7t2qd0b", "o4h8w2k6…2qd0b"],
    ["short", "short"],
    ["", ""],
  ])("makes %j %j", (id, expected) => {
    expect(shortenId(id)).toBe(expected);
  });
});
