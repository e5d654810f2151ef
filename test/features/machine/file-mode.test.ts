import { expect, it } from "vitest";
import { describeMode } from "../../../src/features/machine/file-mode.ts";

it.each([
  ["file", 0o644, "-rw-r--r--"],
  ["file", 0o000, "----------"],
  ["file", 0o777, "-rwxrwxrwx"],
  ["file", 0o4755, "urwxr-xr-x"],
  ["file", 0o2755, "grwxr-xr-x"],
  ["file", 0o6711, "ugrwx--x--x"],
  ["directory", 0o755, "drwxr-xr-x"],
  ["directory", 0o1777, "dtrwxrwxrwx"],
  ["symlink", 0o777, "Lrwxrwxrwx"],
] as const)("describeMode writes a %s of mode %o as %s", (type, mode, text) => {
  expect(describeMode({ type, mode })).toBe(text);
});
