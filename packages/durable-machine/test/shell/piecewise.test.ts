import { expect, it } from "vitest";
import { piecewise, renumber, splitAtLines } from "../../src/shell/piecewise.ts";

it.each([
  ["grep", ["-n", "-e", "x", "--", "f"], { args: ["-n", "-e", "x"], file: "f", output: "numbered lines" }],
  ["grep", ["-i", "-c", "-e", "x", "--"], { args: ["-i", "-c", "-e", "x"], output: "count" }],
  [
    "sed",
    ["-n", "-e", "/a/p;s/b/c/g", "-"],
    { args: ["-n", "-e", "/a/p;s/b/c/g"], file: undefined, output: "text" },
  ],
  ["sed", ["-E", "-e", "y/ab/ba/", "f"], { args: ["-E", "-e", "y/ab/ba/"], file: "f", output: "text" }],
])("piecewise accepts %s %j", (name, args, plan) => {
  expect(piecewise(name, args)).toEqual({ file: undefined, ...plan });
});

it.each([
  ["grep", ["-A", "1", "-e", "x", "--"]],
  ["grep", ["-r", "-e", "x", "--", "."]],
  ["grep", ["-e", "x", "--", "f", "g"]],
  ["grep", ["-n", "-c", "-e", "x", "--"]],
  ["grep", ["-m", "1", "-e", "x", "--"]],
  ["grep", ["-f", "patterns", "--", "f"]],
  ["grep", ["--unknown", "x"]],
  ["sed", ["-e", "1q"]],
  ["sed", ["-e", "0,/a/d"]],
  ["sed", ["-e", "/a/,/b/d"]],
  ["sed", ["-e", "N;s/\\n//"]],
  ["sed", ["-e", "s/a/b/w f"]],
  ["sed", ["-i", "-e", "s/a/b/", "f"]],
  ["sed", ["-f", "script", "f"]],
  ["sort", []],
])("piecewise rejects %s %j", (name, args) => {
  expect(piecewise(name, args)).toBeUndefined();
});

it("splitAtLines splits after newlines", () => {
  const bytes = new TextEncoder().encode("aa\nbb\ncccc\nd");
  const pieces = splitAtLines(bytes, 6)?.map((piece) => new TextDecoder().decode(piece));
  expect(pieces).toEqual(["aa\nbb\n", "cccc\nd"]);
  expect(splitAtLines(bytes, 4)).toBeUndefined();
});

it("renumber adds an offset to line numbers", () => {
  expect(renumber("1:a\n12-b\nc", 30)).toBe("31:a\n42-b\nc");
});
