import { expect, it } from "vitest";
import { piecewise, renumber, splitAtLines } from "../../src/shell/piecewise.ts";

it.each([
  [
    "grep",
    ["-n", "x", "f"],
    { args: ["-n", "-e", "x"], file: "f", results: "line numbers", exitCode: "any" },
  ],
  [
    "grep",
    ["-ivc", "-e", "x"],
    { args: ["-ivc", "-e", "x"], file: undefined, results: "count", exitCode: "any" },
  ],
  [
    "sed",
    ["-n", "/a/p;s/b/c/g", "-"],
    { args: ["-n", "-e", "/a/p;s/b/c/g"], file: undefined, results: "output", exitCode: "last" },
  ],
  [
    "sed",
    ["-E", "-e", "y/ab/ba/", "f"],
    { args: ["-E", "-e", "y/ab/ba/"], file: "f", results: "output", exitCode: "last" },
  ],
  ["tr", ["a", "b"], { args: ["a", "b"], file: undefined, results: "output", exitCode: "last" }],
] as const)("lets %s %j work in pieces", (name, args, plan) => {
  expect(piecewise(name, args)).toEqual(plan);
});

it.each([
  ["grep", ["-A1", "x"]],
  ["grep", ["-r", "x", "."]],
  ["grep", ["x", "f", "g"]],
  ["grep", ["-m", "1", "x"]],
  ["sed", ["1d"]],
  ["sed", ["$d"]],
  ["sed", ["/a/,/b/d"]],
  ["sed", ["N;s/\\n//"]],
  ["sed", ["s/a/b/w f"]],
  ["sed", ["-i", "s/a/b/", "f"]],
  ["tr", ["-s", "a"]],
  ["sort", []],
])("does not let %s %j", (name, args) => {
  expect(piecewise(name, args)).toBeUndefined();
});

it("splits at the ends of lines", () => {
  const bytes = new TextEncoder().encode("aa\nbb\ncccc\nd");
  const pieces = splitAtLines(bytes, 6)?.map((piece) => new TextDecoder().decode(piece));
  expect(pieces).toEqual(["aa\nbb\n", "cccc\nd"]);
  expect(splitAtLines(bytes, 4)).toBeUndefined();
});

it("counts on", () => {
  expect(renumber("1:a\n12-b\nc", 30)).toBe("31:a\n42-b\nc");
});
