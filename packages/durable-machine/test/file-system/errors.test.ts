import { describe, expect, it } from "vitest";
import type { FileErrorCode } from "../../src/file-system/file-error.ts";
import type { FileSystem } from "../../src/file-system/file-system.ts";
import { ROOT } from "../../src/users.ts";
import { bytesOf, errorCodeOf, textOf, withFiles } from "./open-files.ts";

const LONG_NAME = "n".repeat(256);
const LONG_PATH = `/${"d/".repeat(2047)}xy`;

/** A file, a directory with a file, an empty directory and symlinks, two of which are broken. */
function fill(files: FileSystem): void {
  files.makeDirectory("/t", ROOT);
  files.writeAll("/t/f", bytesOf("content"), ROOT);
  files.makeDirectory("/t/d", ROOT);
  files.writeAll("/t/d/inner", bytesOf("inner"), ROOT);
  files.makeDirectory("/t/e", ROOT);
  files.symlink("f", "/t/lf", ROOT);
  files.symlink("d", "/t/ld", ROOT);
  files.symlink("nothing", "/t/dangling", ROOT);
  files.symlink("loop", "/t/loop", ROOT);
}

type Call = (files: FileSystem) => unknown;

const stat =
  (path: string): Call =>
  (files) =>
    files.status(path, ROOT);
const write =
  (path: string): Call =>
  (files) =>
    files.writeAll(path, bytesOf("x"), ROOT);
const rename =
  (source: string, destination: string): Call =>
  (files) =>
    files.rename(source, destination, ROOT);

const FAILING_CALLS: [string, Call, FileErrorCode][] = [
  ["an empty path", stat(""), "ENOENT"],
  ["a NUL in a path", stat("/t/f\0"), "EINVAL"],
  ["a name of 256 bytes", stat(`/t/${LONG_NAME}`), "ENAMETOOLONG"],
  ["a name of 256 bytes in fewer characters", write(`/t/${"é".repeat(128)}`), "ENAMETOOLONG"],
  ["a long name below a missing directory", stat(`/t/missing/${LONG_NAME}`), "ENOENT"],
  ["a path of 4096 bytes", stat(LONG_PATH), "ENAMETOOLONG"],
  ["a missing file", stat("/t/missing"), "ENOENT"],
  ["a path below a file", stat("/t/f/x"), "ENOTDIR"],
  ["a file with a trailing slash", stat("/t/f/"), "ENOTDIR"],
  ["a file with a trailing dot", stat("/t/f/."), "ENOTDIR"],
  ["a broken symlink", stat("/t/dangling"), "ENOENT"],
  ["a symlink to itself", stat("/t/loop"), "ELOOP"],
  ["reading a directory", (files) => files.readAll("/t/d", ROOT), "EISDIR"],
  ["reading more than a limit", (files) => files.readAll("/t/f", ROOT, 6), "EFBIG"],
  ["reading at a negative offset", (files) => files.readRange("/t/f", ROOT, -1, 2), "EINVAL"],
  ["listing a file", (files) => files.list("/t/f", ROOT), "ENOTDIR"],
  ["reading a file as a symlink", (files) => files.readSymlink("/t/f", ROOT), "EINVAL"],
  ["reading a symlink with a trailing slash", (files) => files.readSymlink("/t/ld/", ROOT), "EINVAL"],
  ["writing a directory", write("/t/d"), "EISDIR"],
  ["writing to a path with a trailing slash", write("/t/new/"), "EISDIR"],
  ["writing into a missing directory", write("/t/missing/new"), "ENOENT"],
  ["writing into a missing file", (files) => files.writeRange("/t/new", bytesOf("x"), ROOT, 0), "ENOENT"],
  ["truncating a directory", (files) => files.truncate("/t/d", ROOT, 0), "EISDIR"],
  ["truncating to a negative size", (files) => files.truncate("/t/f", ROOT, -1), "EINVAL"],
  ["truncating to a fractional size", (files) => files.truncate("/t/f", ROOT, 0.5), "EINVAL"],
  ["creating an existing directory", (files) => files.makeDirectory("/t/f", ROOT), "EEXIST"],
  ["creating a directory at a broken symlink", (files) => files.makeDirectory("/t/dangling", ROOT), "EEXIST"],
  ["creating the root", (files) => files.makeDirectory("/", ROOT), "EEXIST"],
  ["creating directories at a file", (files) => makeDirectories(files, "/t/f"), "EEXIST"],
  ["creating directories below a file", (files) => makeDirectories(files, "/t/f/x/y"), "ENOTDIR"],
  [
    "creating directories through a broken symlink",
    (files) => makeDirectories(files, "/t/dangling/x"),
    "EEXIST",
  ],
  ["unlinking a directory", (files) => files.unlink("/t/e", ROOT), "EISDIR"],
  [
    "unlinking a symlink to a directory with a trailing slash",
    (files) => files.unlink("/t/ld/", ROOT),
    "ENOTDIR",
  ],
  ["removing a file as a directory", (files) => files.removeDirectory("/t/f", ROOT), "ENOTDIR"],
  ["removing a symlink as a directory", (files) => files.removeDirectory("/t/ld", ROOT), "ENOTDIR"],
  ["removing a directory that is not empty", (files) => files.removeDirectory("/t/d", ROOT), "ENOTEMPTY"],
  ["removing a directory by a trailing dot", (files) => files.removeDirectory("/t/e/.", ROOT), "EINVAL"],
  ["removing a parent by trailing dots", (files) => files.removeDirectory("/t/e/..", ROOT), "ENOTEMPTY"],
  ["removing the root", (files) => files.removeDirectory("/", ROOT), "EBUSY"],
  ["renaming a missing file", rename("/t/missing", "/t/x"), "ENOENT"],
  ["renaming into a missing directory", rename("/t/f", "/t/missing/x"), "ENOENT"],
  ["renaming a directory into itself", rename("/t/d", "/t/d/x"), "EINVAL"],
  ["renaming a directory into itself through a symlink", rename("/t/d", "/t/ld/x"), "EINVAL"],
  ["renaming to a parent", rename("/t/d/inner", "/t/d"), "ENOTEMPTY"],
  ["renaming a directory to one that is not empty", rename("/t/e", "/t/d"), "ENOTEMPTY"],
  ["renaming a directory to a file", rename("/t/e", "/t/f"), "ENOTDIR"],
  ["renaming a file to a directory", rename("/t/f", "/t/e"), "EISDIR"],
  ["renaming a file to a path with a trailing slash", rename("/t/f", "/t/new/"), "ENOTDIR"],
  ["renaming the root", rename("/", "/t/x"), "EBUSY"],
  ["renaming to a dot", rename("/t/f", "/t/e/."), "EBUSY"],
  ["linking a directory", (files) => files.link("/t/d", "/t/x", ROOT), "EPERM"],
  ["linking to an existing path", (files) => files.link("/t/f", "/t/e", ROOT), "EEXIST"],
  ["linking to a path with a trailing slash", (files) => files.link("/t/f", "/t/x/", ROOT), "ENOENT"],
  ["a symlink to an empty path", (files) => files.symlink("", "/t/x", ROOT), "ENOENT"],
  ["a symlink to a NUL", (files) => files.symlink("a\0", "/t/x", ROOT), "EINVAL"],
  ["a symlink at an existing path", (files) => files.symlink("f", "/t/dangling", ROOT), "EEXIST"],
  ["an invalid time", (files) => files.setTimes("/t/f", ROOT, { accessedAt: 0, modifiedAt: NaN }), "EINVAL"],
  ["an invalid owner", (files) => files.changeOwner("/t/f", ROOT, { uid: -1 }), "EINVAL"],
];

function makeDirectories(files: FileSystem, path: string): void {
  files.makeDirectory(path, ROOT, { parents: true });
}

describe("FileSystem", () => {
  it("fails with the error codes of Linux", () =>
    withFiles(({ files }) => {
      fill(files);
      const before = files.usage();
      const errors = FAILING_CALLS.map(([name, call]) => [name, errorCodeOf(() => call(files))]);
      expect(errors).toEqual(FAILING_CALLS.map(([name, , code]) => [name, code]));
      expect(files.usage()).toEqual(before);
    }));

  it("names the system call and the path in messages, like Node", () =>
    withFiles(({ files }) => {
      expect(() => files.list("/missing", ROOT)).toThrow(
        "ENOENT: no such file or directory, scandir '/missing'",
      );
    }));

  it("returns false for the existence and permissions of unreachable paths", () =>
    withFiles(({ files }) => {
      fill(files);
      for (const path of ["/t/missing", "/t/dangling", "/t/loop", "/t/f/x", "\0", ""]) {
        expect(files.exists(path, ROOT)).toBe(false);
        expect(files.permits(path, ROOT, 4)).toBe(false);
      }
    }));

  it("resolves `..` after symlinks", () =>
    withFiles(({ files }) => {
      fill(files);
      files.makeDirectory("/t/e/deep", ROOT);
      files.symlink("/t/e/deep", "/t/far", ROOT);
      expect(files.resolve("/t/far/..", ROOT)).toBe("/t/e");
      expect(files.resolve("/../../t//./lf", ROOT)).toBe("/t/f");
      expect(files.resolve("/t/..", ROOT)).toBe("/");
      expect(files.resolve("/t/far/../../d/", ROOT)).toBe("/t/d");
      expect(files.status("/t/ld/", ROOT, { followSymlink: false }).type).toBe("directory");
      expect(files.status("/t/ld", ROOT, { followSymlink: false }).type).toBe("symlink");
    }));

  it("follows at most 40 symlinks", () =>
    withFiles(({ files }) => {
      fill(files);
      files.symlink("f", "/t/s1", ROOT);
      for (let count = 2; count <= 41; count += 1) files.symlink(`s${count - 1}`, `/t/s${count}`, ROOT);
      expect(textOf(files.readAll("/t/s40", ROOT))).toBe("content");
      expect(errorCodeOf(() => files.readAll("/t/s41", ROOT))).toBe("ELOOP");
    }));

  it("creates the target of a broken symlink", () =>
    withFiles(({ files }) => {
      fill(files);
      files.writeAll("/t/dangling", bytesOf("made"), ROOT);
      expect(textOf(files.readAll("/t/nothing", ROOT))).toBe("made");
    }));

  it("accepts names of 255 bytes and paths of 4095, and compares names by bytes", () =>
    withFiles(({ files }) => {
      fill(files);
      const names = ["n".repeat(255), "é", "e\u0301", "Z", "a", "\ud83d\ude00", "\uffee"];
      for (const name of names) files.writeAll(`/t/e/${name}`, bytesOf(name), ROOT);
      const listed = files.list("/t/e", ROOT).map(({ name }) => name);
      // U+1F600 sorts after U+FFEE in UTF-8 and before it in UTF-16.
      expect(listed).toEqual(["Z", "a", "e\u0301", "n".repeat(255), "é", "\uffee", "\ud83d\ude00"]);
      for (const name of names) expect(textOf(files.readAll(`/t/e/${name}`, ROOT))).toBe(name);
      expect(files.exists(`/t/${"./".repeat(2045)}f`, ROOT)).toBe(true);
    }));

  it("stores a lone surrogate as U+FFFD", () =>
    withFiles(({ files }) => {
      files.writeAll("/tmp/\ud800", bytesOf("x"), ROOT);
      expect(files.list("/tmp", ROOT).map(({ name }) => name)).toEqual(["\ufffd"]);
      expect(files.exists("/tmp/\udfff", ROOT)).toBe(true);
    }));

  it("creates parents with the default mode", () =>
    withFiles(({ files }) => {
      files.makeDirectory("/t/a/b/../c/", ROOT, { parents: true, mode: 0o700 });
      expect(files.status("/t/a", ROOT).mode).toBe(0o755);
      expect(files.status("/t/a/b", ROOT).mode).toBe(0o755);
      expect(files.status("/t/a/c", ROOT).mode).toBe(0o700);
      files.makeDirectory("/t/a/c", ROOT, { parents: true, mode: 0o755 });
      expect(files.status("/t/a/c", ROOT).mode).toBe(0o700);
    }));

  it("creates no parents if the last directory cannot be created", () =>
    withFiles(({ files }) => {
      fill(files);
      expect(errorCodeOf(() => makeDirectories(files, `/t/new/deeper/${LONG_NAME}`))).toBe("ENAMETOOLONG");
      expect(files.exists("/t/new", ROOT)).toBe(false);
    }));
});
