import { expect, it } from "vitest";
import { rewriteAwk } from "../../src/shell/awk-program.ts";
import { MAX_PROGRAM_LENGTH, rewriteProgram } from "../../src/shell/bundled-arguments.ts";
import { UsageError } from "../../src/shell/commands/options.ts";
import { rewriteJq } from "../../src/shell/jq-program.ts";

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
])("a program that repeats %j is rewritten or refused at once", (text) => {
  for (const rewrite of [(program: string) => rewriteAwk(program, true), rewriteJq]) {
    for (const length of [MAX_PROGRAM_LENGTH, 10 * MAX_PROGRAM_LENGTH]) {
      const startedAt = performance.now();
      try {
        rewriteProgram(text.repeat(length / text.length), rewrite);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
      expect(performance.now() - startedAt).toBeLessThan(MAX_MS);
    }
  }
});
