import { expect, it } from "vitest";
import { findTooLarge } from "../../../src/dynamic-workers/runtime/bundling/bundle-size.ts";

const MEBIBYTE = 1024 * 1024;

it.each([
  ["both as large as may be", 4 * MEBIBYTE, 8 * MEBIBYTE, []],
  ["a bundle that is too large", 5 * MEBIBYTE, 0, ["The app as one module has 5.00 MiB, and may have 4 MiB"]],
  [
    "a source map that is too large",
    0,
    8.5 * MEBIBYTE,
    ["The source map of the app has 8.50 MiB, and may have 8 MiB"],
  ],
])("says of %s what is wrong", (_, code, sourceMap, problems) => {
  expect(findTooLarge({ code, sourceMap })).toEqual(problems);
});
