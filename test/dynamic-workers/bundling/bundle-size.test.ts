import { expect, it } from "vitest";
import { findSizeProblems } from "../../../src/dynamic-workers/runtime/bundling/bundle-size.ts";

const MEBIBYTE = 1024 * 1024;

it.each([
  ["both as large as may be", 6 * MEBIBYTE, 12 * MEBIBYTE, []],
  ["a bundle that is too large", 7 * MEBIBYTE, 0, ["The bundle has 7.00 MiB, and the limit is 6 MiB"]],
  [
    "a source map that is too large",
    0,
    12.5 * MEBIBYTE,
    ["The source map has 12.50 MiB, and the limit is 12 MiB"],
  ],
])("says of %s what is wrong", (_, code, sourceMap, problems) => {
  expect(findSizeProblems({ code, sourceMap })).toEqual(problems);
});
