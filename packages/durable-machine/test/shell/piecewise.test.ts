import { expect, it } from "vitest";
import { sedPiecewise, splitAtLines } from "../../src/shell/piecewise.ts";

it.each([
  [["-n", "-e", "/a/p;s/b/c/g", "-"], { args: ["-n", "-e", "/a/p;s/b/c/g"], file: undefined }],
  [["-E", "-e", "y/ab/ba/", "f"], { args: ["-E", "-e", "y/ab/ba/"], file: "f" }],
])("sedPiecewise accepts %j", (args, plan) => {
  expect(sedPiecewise(args)).toEqual(plan);
});

it.each([
  [["-e", "1q"]],
  [["-e", "0,/a/d"]],
  [["-e", "/a/,/b/d"]],
  [["-e", "N;s/\\n//"]],
  [["-e", "s/a/b/w f"]],
  [["-i", "-e", "s/a/b/", "f"]],
  [["-f", "script", "f"]],
])("sedPiecewise rejects %j", (args) => {
  expect(sedPiecewise(args)).toBeUndefined();
});

it("splitAtLines splits after newlines", () => {
  const bytes = new TextEncoder().encode("aa\nbb\ncccc\nd");
  const split = (pieceBytes: number, limitBytes: number) =>
    splitAtLines(bytes, pieceBytes, limitBytes)?.map((piece) => new TextDecoder().decode(piece));
  expect(split(6, 6)).toEqual(["aa\nbb\n", "cccc\nd"]);
  expect(split(4, 5)).toEqual(["aa\n", "bb\n", "cccc\n", "d"]);
  expect(split(4, 4)).toBeUndefined();
});
