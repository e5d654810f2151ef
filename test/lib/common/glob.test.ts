import { expect, it } from "vitest";
import { matchesGlob } from "../../../src/lib/common/glob.ts";

it.each([
  ["", "", true],
  ["", "a", false],
  ["a.js", "a.js", true],
  ["a.js", "a_js", false],
  ["*", "", true],
  ["*", "any/thing", true],
  ["*.js", "lib/a.js", true],
  ["*.js", "lib/a.json", false],
  ["lib/*", "lib/a", true],
  ["lib/*", "other/lib/a", false],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["*a*b*c*", "xxaxxbxxcxx", true],
  ["*a*b*c*", "xxaxxcxxbxx", false],
  ["a**b", "ab", true],
  ["a*b*b", "ab", false],
  ["*ab*abc", "ababc", true],
  [".*", "axx", false],
])("%j matches %j: %s", (glob, text, expected) => {
  expect(matchesGlob(glob, text)).toBe(expected);
});

it("matches a pathological glob quickly", () => {
  expect(matchesGlob(`${"*a".repeat(5000)}b`, "a".repeat(100_000))).toBe(false);
});
