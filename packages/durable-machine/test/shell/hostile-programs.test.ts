import { expect, it } from "vitest";
import { rewriteAwkNumbers } from "../../src/shell/awk-numbers.ts";
import { rewriteAwk } from "../../src/shell/awk-program.ts";
import { MAX_PROGRAM_LENGTH, rewriteProgram } from "../../src/shell/bundled-arguments.ts";
import { rewriteJq } from "../../src/shell/jq-program.ts";
import { ProgramError } from "../../src/shell/program-error.ts";

const MAX_MS = 500;

it.each([
  "/[",
  '"\\',
  "/[[:a",
  "split(",
  "length(a)",
  "a[",
  "in ",
  "a ",
  "\\(",
  '@csv "',
  "def ",
  "sort_by(",
  "{a",
  "(",
  "path(",
  "gsub(",
  "(.a|=",
  ".[.a=",
  "def f(",
  "printf(",
  "print(1,",
  "$1=",
])("a program that repeats %j is rewritten or refused at once", (text) => {
  for (const rewrite of [(program: string) => rewriteAwk(program, true), rewriteAwkNumbers, rewriteJq]) {
    for (const length of [MAX_PROGRAM_LENGTH, 10 * MAX_PROGRAM_LENGTH]) {
      const startedAt = performance.now();
      try {
        rewriteProgram(text.repeat(length / text.length), rewrite);
      } catch (error) {
        expect(error).toBeInstanceOf(ProgramError);
      }
      expect(performance.now() - startedAt).toBeLessThan(MAX_MS);
    }
  }
});

it("a program that compares elements within indices stays small", () => {
  const program = `BEGIN {print ${"a[".repeat(40)}1${"] == 0".repeat(40)}}`;
  expect(rewriteAwkNumbers(program).length).toBeLessThan(20 * program.length);
});
