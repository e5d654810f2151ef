import { expect, it } from "vitest";
import { pathBelow } from "../../../src/features/machine/file-watches.ts";

it.each([
  ["/a", "/a", false, ""],
  ["/a", "/a/b", false, "/b"],
  ["/a", "/a/b/c", false, undefined],
  ["/a", "/a/b/c", true, "/b/c"],
  ["/a", "/ab", true, undefined],
  ["/a", "/", true, undefined],
  ["/a/b", "/a", true, undefined],
  ["/", "/", false, ""],
  ["/", "/a", false, "/a"],
  ["/", "/a/b", false, undefined],
  ["/", "/a/b", true, "/a/b"],
] as const)("pathBelow %s of %s, recursive: %j, is %j", (root, path, recursive, below) => {
  expect(pathBelow(root, path, recursive)).toBe(below);
});
