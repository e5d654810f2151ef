import { TimeSlice } from "durable-machine/time-slice";
import { describe, expect, it } from "vitest";
import {
  findUnsafeTarget,
  readEntryPath,
  requireNoConflicts,
} from "../../../src/lib/archives/archive-paths.ts";

const archiveError = (message: string | RegExp) =>
  expect.objectContaining({ name: "ArchiveError", message: expect.stringMatching(message) });

describe("readEntryPath", () => {
  it.each([
    ["a", "a"],
    ["a/", "a"],
    ["./a//b/./c", "a/b/c"],
    ["./", ""],
    ["", ""],
    ["...", "..."],
    ["..a/b..", "..a/b.."],
    ["a\\b", "a\\b"],
    ["a:b", "a:b"],
    ["ab:/c", "ab:/c"],
    [`${"ü".repeat(127)}/b`, `${"ü".repeat(127)}/b`],
  ])("reads %j as %j", (name, path) => {
    expect(readEntryPath(name)).toBe(path);
  });

  it.each([
    ["/a", "absolute"],
    ["//a", "absolute"],
    ["\\a", "absolute"],
    ["C:", "absolute"],
    ["c:/a", "absolute"],
    ["C:\\a", "absolute"],
    ["..", "leads out"],
    ["../a", "leads out"],
    ["a/..", "leads out"],
    ["a/../b", "leads out"],
    ["a/../../b", "leads out"],
    ["..\\a", "leads out"],
    ["a\\..\\..\\b", "leads out"],
    ["a/..\\../b", "leads out"],
    ["a\0", "NUL"],
    ["../\0", "NUL"],
    ["x".repeat(256), "too long"],
    ["ü".repeat(128), "too long"],
    ["ab/".repeat(1366), "too long"],
  ])("rejects %j", (name, message) => {
    expect(() => readEntryPath(name)).toThrow(archiveError(message));
  });
});

describe("findUnsafeTarget", () => {
  it.each([
    ["a", "b"],
    ["a", "."],
    ["a/b", ".."],
    ["a/b", "../c"],
    ["a/b/c", "../../d/e"],
    ["a/b", "./../c"],
    ["a", "..b"],
    ["a", "b\\..\\..\\c"],
  ])("accepts a symlink %s to %s", (path, target) => {
    expect(findUnsafeTarget({ path, target })).toBeUndefined();
  });

  it.each([
    ["a", "/", "absolute"],
    ["a", "/etc/passwd", "absolute"],
    ["a", "..", "leads out"],
    ["a", "../b", "leads out"],
    ["a/b", "../../c", "leads out"],
    ["a/b", "../../a/b", "leads out"],
    // `up` may be a symlink to "../..", so another ".." leads out.
    ["a/b/c/d", "up/../../x", "leads out"],
    ["a/b/c/d", "up/..", "leads out"],
    ["t", "a/b/up/../../x", "leads out"],
    ["a/b", "c/../../d", "leads out"],
    ["a", "", "invalid path"],
    ["a", "b\0", "invalid path"],
    ["a", "x".repeat(4096), "invalid path"],
  ])("rejects a symlink %s to %s", (path, target, message) => {
    expect(findUnsafeTarget({ path, target })).toContain(message);
  });
});

describe("requireNoConflicts", () => {
  const entries = (...paths: string[]) =>
    paths.map((path) =>
      path.endsWith("/")
        ? { path: path.slice(0, -1), type: "directory" }
        : path.endsWith("@")
          ? { path: path.slice(0, -1), type: "symlink" }
          : { path, type: "file" },
    );

  it.each([
    [["a/", "a/b", "a/c/", "a/c/d"]],
    [["a/b", "a/"]],
    [["a", "a.b", "a-b/c", "a b/"]],
    [["a", "a\u0001b"]],
    [["a@", "b/c@"]],
  ])("accepts %j", async (paths) => {
    await requireNoConflicts(entries(...paths), new TimeSlice());
  });

  it.each([
    [["a", "a"], '"a" is in the archive twice'],
    [["a/", "a/"], "twice"],
    [["a/", "a"], "twice"],
    [["b/c", "a", "b/c@"], "twice"],
    [["a/b/c", "a/b", "x", "a/b/d"], "below"],
    [["a/b/c", "a/b/d", "a/b@"], "below"],
    [["a", "a/b"], '"a/b" is below "a", which is not a directory'],
    [["a/b/c", "a"], "below"],
    [["a@", "a/b"], "below"],
    [["a/b", "a@"], "below"],
    [["a@", "a.b", "a/b/c/"], "below"],
    [["a", "a-b", "a.b", "a/b", "a0"], "below"],
  ])("rejects %j", async (paths, message) => {
    await expect(requireNoConflicts(entries(...paths), new TimeSlice())).rejects.toEqual(
      archiveError(message),
    );
  });
});
