import { describe, expect, it } from "vitest";
import { matchesGlob } from "../../../src/shell/commands/glob.ts";

describe("matchesGlob", () => {
  it.each([
    ["abc", "abc", true],
    ["abc", "ab", false],
    ["ab", "abc", false],
    ["", "", true],
    ["", "*", true],
    ["a", "", false],
    ["abc", "*", true],
    ["abc", "a*c", true],
    ["abd", "a*c", false],
    ["a/b/c", "a*c", true],
    ["abcabd", "*abd", true],
    ["aXbXc", "a*b*c", true],
    ["abc", "???", true],
    ["ab", "???", false],
    ["b", "[abc]", true],
    ["d", "[abc]", false],
    ["d", "[!abc]", true],
    ["d", "[^abc]", true],
    ["m", "[a-z]", true],
    ["]", "[]]", true],
    ["-", "[a-]", true],
    ["[", "[", true],
    ["[a", "[a", true],
    ["*", "\\*", true],
    ["a", "\\*", false],
    ["a.tar", "*.tar", true],
    ["a.tar.gz", "*.tar", false],
  ])("matches %j against %j: %s", (text, pattern, matches) => {
    expect(matchesGlob(text, pattern)).toBe(matches);
  });

  it("is fast for many stars that do not match", () => {
    const started = performance.now();
    expect(matchesGlob("a".repeat(2000), `${"*a".repeat(100)}b`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
