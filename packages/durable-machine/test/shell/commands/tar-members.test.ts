import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isExcluded, safeName, stripParts } from "../../../src/shell/commands/tar/members.ts";

describe("names of tar members", () => {
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
  ])("%j is split into %j and %j", (name, prefix, rest) => {
    expect(safeName(name)).toEqual({ prefix, rest });
  });

  it("never lead outside of the destination", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("..", "/", "a", "."), maxLength: 12 }), (name) => {
        const { rest } = safeName(name);
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
  ])("%j without %d parts is %j", (name, count, rest) => {
    expect(stripParts(name, count)).toBe(rest);
  });

  it.each([
    ["a/b/g", ["b"], true],
    ["a/b/g", ["*.tar", "g"], true],
    ["a/b/g", ["a/b"], true],
    ["a/b/g", ["b/g"], true],
    ["a/bc/g", ["b"], false],
    ["x.tar", ["*.tar"], true],
    ["a/b", [], false],
  ])("%j is excluded by %j: %s", (name, patterns, excluded) => {
    expect(isExcluded(name, patterns)).toBe(excluded);
  });
});
