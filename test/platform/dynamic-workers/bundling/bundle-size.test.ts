import { expect, it } from "vitest";
import { findSizeProblems } from "../../../../src/platform/dynamic-workers/runtime/bundling/bundle-size.ts";

const MEBIBYTE = 1024 * 1024;

it.each([
  ["nothing for both at their limits", 6 * MEBIBYTE, 12 * MEBIBYTE, []],
  ["too large a bundle", 7 * MEBIBYTE, 0, ["The bundle has 7.00 MiB, and the limit is 6 MiB"]],
  ["too large a source map", 0, 12.5 * MEBIBYTE, ["The source map has 12.50 MiB, and the limit is 12 MiB"]],
])("reports %s", (_, code, sourceMap, problems) => {
  expect(findSizeProblems({ code, sourceMap })).toEqual(problems);
});
