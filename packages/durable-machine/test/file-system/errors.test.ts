import { describe, expect, it } from "vitest";
import type { FileErrorCode } from "../../src/file-system/file-error.ts";
import type { FileSystem } from "../../src/file-system/file-system.ts";
import { ROOT } from "../../src/users.ts";
import { bytesOf, errorCodeOf, textOf, withFiles } from "./open-files.ts";

const LONG_NAME = "n".repeat(256);
const LONG_PATH = `/${"d/".repeat(2047)}xy`;

/** A file, a directory with something in it, an empty one, and symlinks: to each, to nothing, to itself. */
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

const REFUSALS: [string, Call, FileErrorCode][] = [
  ["a path of nothing", stat(""), "ENOENT"],
  ["a NUL in a path", stat("/t/f\0"), "EINVAL"],
  ["a name of 256 bytes", stat(`/t/${LONG_NAME}`), "ENAMETOOLONG"],
  ["a name of 256 bytes in fewer characters", write(`/t/${"é".repeat(128)}`), "ENAMETOOLONG"],
  ["a long name below a missing directory", stat(`/t/missing/${LONG_NAME}`), "ENOENT"],
  ["a path of 4096 bytes", stat(LONG_PATH), "ENAMETOOLONG"],
  ["something missing", stat("/t/missing"), "ENOENT"],
  ["something below a file", stat("/t/f/x"), "ENOTDIR"],
  ["a file with a slash behind it", stat("/t/f/"), "ENOTDIR"],
  ["a file with a dot behind it", stat("/t/f/."), "ENOTDIR"],
  ["a symlink to nothing", stat("/t/dangling"), "ENOENT"],
  ["a symlink to itself", stat("/t/loop"), "ELOOP"],
  ["to read a directory", (files) => files.readAll("/t/d", ROOT), "EISDIR"],
  ["to read more than a limit", (files) => files.readAll("/t/f", ROOT, 6), "EFBIG"],
  ["to read from before the beginning", (files) => files.readRange("/t/f", ROOT, -1, 2), "EINVAL"],
  ["to list a file", (files) => files.list("/t/f", ROOT), "ENOTDIR"],
  ["to read a file as a symlink", (files) => files.readSymlink("/t/f", ROOT), "EINVAL"],
  ["to read a symlink with a slash behind it", (files) => files.readSymlink("/t/ld/", ROOT), "EINVAL"],
  ["to write a directory", write("/t/d"), "EISDIR"],
  ["to write to a path with a slash behind it", write("/t/new/"), "EISDIR"],
  ["to write into a missing directory", write("/t/missing/new"), "ENOENT"],
  ["to write into a missing file", (files) => files.writeRange("/t/new", bytesOf("x"), ROOT, 0), "ENOENT"],
  ["to truncate a directory", (files) => files.truncate("/t/d", ROOT, 0), "EISDIR"],
  ["to truncate to less than nothing", (files) => files.truncate("/t/f", ROOT, -1), "EINVAL"],
  ["to truncate to half a byte", (files) => files.truncate("/t/f", ROOT, 0.5), "EINVAL"],
  ["to make what is there", (files) => files.makeDirectory("/t/f", ROOT), "EEXIST"],
  [
    "to make a directory at a symlink to nothing",
    (files) => files.makeDirectory("/t/dangling", ROOT),
    "EEXIST",
  ],
  ["to make the root", (files) => files.makeDirectory("/", ROOT), "EEXIST"],
  ["to make directories where a file is", (files) => makeAll(files, "/t/f"), "EEXIST"],
  ["to make directories below a file", (files) => makeAll(files, "/t/f/x/y"), "ENOTDIR"],
  ["to make directories through a symlink to nothing", (files) => makeAll(files, "/t/dangling/x"), "EEXIST"],
  ["to unlink a directory", (files) => files.unlink("/t/e", ROOT), "EISDIR"],
  ["to unlink a symlink to a directory by a slash", (files) => files.unlink("/t/ld/", ROOT), "ENOTDIR"],
  ["to remove a file as a directory", (files) => files.removeDirectory("/t/f", ROOT), "ENOTDIR"],
  ["to remove a symlink to a directory as one", (files) => files.removeDirectory("/t/ld", ROOT), "ENOTDIR"],
  ["to remove a directory that holds something", (files) => files.removeDirectory("/t/d", ROOT), "ENOTEMPTY"],
  ["to remove a directory by its dot", (files) => files.removeDirectory("/t/e/.", ROOT), "EINVAL"],
  ["to remove a directory by what it holds", (files) => files.removeDirectory("/t/e/..", ROOT), "ENOTEMPTY"],
  ["to remove the root", (files) => files.removeDirectory("/", ROOT), "EBUSY"],
  ["to rename what is missing", rename("/t/missing", "/t/x"), "ENOENT"],
  ["to rename into a missing directory", rename("/t/f", "/t/missing/x"), "ENOENT"],
  ["to rename a directory into itself", rename("/t/d", "/t/d/x"), "EINVAL"],
  ["to rename a directory into itself by a symlink", rename("/t/d", "/t/ld/x"), "EINVAL"],
  ["to rename to a directory above", rename("/t/d/inner", "/t/d"), "ENOTEMPTY"],
  ["to rename a directory to one that holds something", rename("/t/e", "/t/d"), "ENOTEMPTY"],
  ["to rename a directory to a file", rename("/t/e", "/t/f"), "ENOTDIR"],
  ["to rename a file to a directory", rename("/t/f", "/t/e"), "EISDIR"],
  ["to rename a file to a path with a slash", rename("/t/f", "/t/new/"), "ENOTDIR"],
  ["to rename the root", rename("/", "/t/x"), "EBUSY"],
  ["to rename to a dot", rename("/t/f", "/t/e/."), "EBUSY"],
  ["to link a directory", (files) => files.link("/t/d", "/t/x", ROOT), "EPERM"],
  ["to link to what is there", (files) => files.link("/t/f", "/t/e", ROOT), "EEXIST"],
  ["to link to a path with a slash", (files) => files.link("/t/f", "/t/x/", ROOT), "ENOENT"],
  ["a symlink to a path of nothing", (files) => files.symlink("", "/t/x", ROOT), "ENOENT"],
  ["a symlink to a NUL", (files) => files.symlink("a\0", "/t/x", ROOT), "EINVAL"],
  ["a symlink where something is", (files) => files.symlink("f", "/t/dangling", ROOT), "EEXIST"],
  [
    "a time that is none",
    (files) => files.setTimes("/t/f", ROOT, { accessedAt: 0, modifiedAt: NaN }),
    "EINVAL",
  ],
  ["an owner that is none", (files) => files.changeOwner("/t/f", ROOT, { uid: -1 }), "EINVAL"],
];

function makeAll(files: FileSystem, path: string): void {
  files.makeDirectory(path, ROOT, { parents: true });
}

describe("FileSystem", () => {
  it("refuses with the errno that Linux gives", () =>
    withFiles(({ files }) => {
      fill(files);
      const before = files.usage();
      const refusals = REFUSALS.map(([what, call]) => [what, errorCodeOf(() => call(files))]);
      expect(refusals).toEqual(REFUSALS.map(([what, , code]) => [what, code]));
      expect(files.usage()).toEqual(before);
    }));

  it("names the call and the path in a refusal, as Node does", () =>
    withFiles(({ files }) => {
      expect(() => files.list("/missing", ROOT)).toThrow(
        "ENOENT: no such file or directory, scandir '/missing'",
      );
    }));

  it("says nothing is there, and nothing permitted, where a path leads nowhere", () =>
    withFiles(({ files }) => {
      fill(files);
      for (const path of ["/t/missing", "/t/dangling", "/t/loop", "/t/f/x", "\0", ""]) {
        expect(files.exists(path, ROOT)).toBe(false);
        expect(files.permits(path, ROOT, 4)).toBe(false);
      }
    }));

  it("follows paths as they physically are", () =>
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

  it("follows 40 symlinks and no more", () =>
    withFiles(({ files }) => {
      fill(files);
      files.symlink("f", "/t/s1", ROOT);
      for (let count = 2; count <= 41; count += 1) files.symlink(`s${count - 1}`, `/t/s${count}`, ROOT);
      expect(textOf(files.readAll("/t/s40", ROOT))).toBe("content");
      expect(errorCodeOf(() => files.readAll("/t/s41", ROOT))).toBe("ELOOP");
    }));

  it("makes what a symlink to nothing names", () =>
    withFiles(({ files }) => {
      fill(files);
      files.writeAll("/t/dangling", bytesOf("made"), ROOT);
      expect(textOf(files.readAll("/t/nothing", ROOT))).toBe("made");
    }));

  it("takes names of 255 bytes and paths of 4095, and keeps names apart by their bytes", () =>
    withFiles(({ files }) => {
      fill(files);
      const names = ["n".repeat(255), "é", "e\u0301", "Z", "a", "\ud83d\ude00", "\uffee"];
      for (const name of names) files.writeAll(`/t/e/${name}`, bytesOf(name), ROOT);
      const listed = files.list("/t/e", ROOT).map(({ name }) => name);
      // U+1F600 comes behind U+FFEE by UTF-8, and before it by UTF-16.
      expect(listed).toEqual(["Z", "a", "e\u0301", "n".repeat(255), "é", "\uffee", "\ud83d\ude00"]);
      for (const name of names) expect(textOf(files.readAll(`/t/e/${name}`, ROOT))).toBe(name);
      expect(files.exists(`/t/${"./".repeat(2045)}f`, ROOT)).toBe(true);
    }));

  it("stores half a surrogate pair as it would be encoded", () =>
    withFiles(({ files }) => {
      files.writeAll("/tmp/\ud800", bytesOf("x"), ROOT);
      expect(files.list("/tmp", ROOT).map(({ name }) => name)).toEqual(["\ufffd"]);
      expect(files.exists("/tmp/\udfff", ROOT)).toBe(true);
    }));

  it("makes directories on the way that others may enter, whatever the mode of the last", () =>
    withFiles(({ files }) => {
      files.makeDirectory("/t/a/b/../c/", ROOT, { parents: true, mode: 0o700 });
      expect(files.status("/t/a", ROOT).mode).toBe(0o755);
      expect(files.status("/t/a/b", ROOT).mode).toBe(0o755);
      expect(files.status("/t/a/c", ROOT).mode).toBe(0o700);
      files.makeDirectory("/t/a/c", ROOT, { parents: true, mode: 0o755 });
      expect(files.status("/t/a/c", ROOT).mode).toBe(0o700);
    }));

  it("makes none of several directories where the last cannot be made", () =>
    withFiles(({ files }) => {
      fill(files);
      expect(errorCodeOf(() => makeAll(files, `/t/new/deeper/${LONG_NAME}`))).toBe("ENAMETOOLONG");
      expect(files.exists("/t/new", ROOT)).toBe(false);
    }));
});
