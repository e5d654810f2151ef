import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isExcluded, safeName, stripParts } from "../../../src/shell/commands/tar/members.ts";

describe("a member's name", () => {
  it.each([
    ["a/b", "", "a/b"],
    ["/a/b", "/", "a/b"],
    ["//a", "//", "a"],
    ["../a", "../", "a"],
    ["a/../b", "a/../", "b"],
    ["a/../../b/../c", "a/../../b/../", "c"],
    ["..", "..", ""],
    ["/..", "/..", ""],
    ["a..b/c", "", "a..b/c"],
    ["..a/b", "", "..a/b"],
    ["./a", "", "./a"],
  ])("%j loses %j and is %j", (given, prefix, rest) => {
    expect(safeName(given)).toEqual({ prefix, rest });
  });

  it("never leads out of where it is put", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("..", "/", "a", "."), maxLength: 12 }), (given) => {
        const { rest } = safeName(given);
        expect(rest.startsWith("/")).toBe(false);
        expect(rest.split("/")).not.toContain("..");
      }),
    );
  });

  it.each([
    ["a/b/c", 0, "a/b/c"],
    ["a/b/c", 1, "b/c"],
    ["a/b/", 1, "b"],
    ["./a//b", 1, "a/b"],
    ["a/b/", 2, undefined],
    ["a", 1, undefined],
  ])("%j without %d parts is %j", (given, count, left) => {
    expect(stripParts(given, count)).toBe(left);
  });

  it.each([
    ["a/b/g", ["b"], true],
    ["a/b/g", ["*.tar", "g"], true],
    ["a/b/g", ["a/b"], true],
    ["a/b/g", ["b/g"], true],
    ["a/bc/g", ["b"], false],
    ["x.tar", ["*.tar"], true],
    ["a/b", [], false],
  ])("%j is left out by %j: %s", (given, patterns, excluded) => {
    expect(isExcluded(given, patterns)).toBe(excluded);
  });
});
