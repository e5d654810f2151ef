import { describe, expect, it } from "vitest";
import type { FileSystem } from "../../src/file-system/file-system.ts";
import { NAME_BYTES } from "../../src/file-system/volume.ts";
import { ROOT } from "../../src/users.ts";
import { KERNEL } from "../identity.ts";
import {
  bytesOf,
  changesOf,
  countRows,
  errorCodeOf,
  rejectionCodeOf,
  streamOf,
  textOf,
  withFiles,
} from "./open-files.ts";

const MANY = 100_000;
const TIMEOUT_MS = 300_000;

/** Creates files and yields to the event loop in between. */
async function createFiles(files: FileSystem, directory: string, count: number): Promise<void> {
  files.makeDirectory(directory, ROOT);
  for (let index = 0; index < count; index += 1) {
    files.writeAll(`${directory}/${index}`, bytesOf("x"), ROOT);
    if (index % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

describe("FileSystem", () => {
  it(
    "lists, renames and removes a directory of many entries",
    () =>
      withFiles(
        async ({ files, storage }) => {
          const before = { rows: countRows(storage), usage: files.usage() };
          await createFiles(files, "/tmp/many", MANY);
          const names = files.list("/tmp/many", ROOT).map(({ name }) => name);
          expect(names).toHaveLength(MANY);
          expect(names.slice(0, 3)).toEqual(["0", "1", "10"]);

          const written = () =>
            storage.sql.exec<{ rows: number }>("SELECT total_changes() AS rows").one().rows;
          const rowsBefore = written();
          files.rename("/tmp/many", "/home/moved", ROOT);
          // Removes and adds the name, sets three times and two link counts.
          expect(written() - rowsBefore).toBe(7);
          expect(textOf(files.readAll(`/home/moved/${MANY - 1}`, ROOT))).toBe("x");

          let turns = 0;
          const count = () => {
            turns += 1;
            timer = setTimeout(count, 0);
          };
          let timer = setTimeout(count, 0);
          await files.removeTree("/home/moved", ROOT);
          clearTimeout(timer);
          expect(turns).toBeGreaterThan(MANY / 1000);
          expect({ rows: countRows(storage), usage: files.usage() }).toEqual(before);
        },
        { quotaBytes: 2 ** 30 },
      ),
    TIMEOUT_MS,
  );

  it("removes a tree deeper than the longest path", () =>
    withFiles(async ({ files, storage }) => {
      const before = countRows(storage);
      files.makeDirectory(`/tmp/${"d/".repeat(1500)}`, ROOT, { parents: true });
      files.makeDirectory(`/home/${"e/".repeat(1500)}`, ROOT, { parents: true });
      files.rename("/home/e", `/tmp/${"d/".repeat(1499)}d/e`, ROOT);
      await files.removeTree("/tmp/d", ROOT);
      expect(countRows(storage)).toEqual(before);
    }));

  it("detaches root's tree immediately and reports each removal, deepest first", () =>
    withFiles(async ({ files }) => {
      files.makeDirectory("/tmp/t/d/e", ROOT, { parents: true });
      files.writeAll("/tmp/t/d/f", bytesOf("x"), ROOT);
      files.symlink("/etc", "/tmp/t/l", ROOT);
      const changes = await changesOf(files, async () => {
        const removed = files.removeTree("/tmp/t/", ROOT);
        expect(files.exists("/tmp/t", ROOT)).toBe(false);
        // The path is free again during the removal.
        files.makeDirectory("/tmp/t", ROOT);
        await removed;
      });
      expect(
        changes.filter(({ type }) => type === "delete").map(({ path, isDirectory }) => [path, isDirectory]),
      ).toEqual([
        ["/tmp/t/d/e", true],
        ["/tmp/t/d/f", false],
        ["/tmp/t/d", true],
        ["/tmp/t/l", false],
        ["/tmp/t", true],
      ]);
      expect(files.list("/tmp/t", ROOT)).toEqual([]);
      expect(files.exists("/etc/passwd", ROOT)).toBe(true);
      expect(files.status("/tmp", ROOT).links).toBe(3);
    }));

  it("removes a user's tree as far as permitted and reports the error", () =>
    withFiles(async ({ files }) => {
      files.makeDirectory("/home/kernel/t/a", KERNEL, { parents: true });
      files.writeAll("/home/kernel/t/a/f", bytesOf("x"), KERNEL);
      files.makeDirectory("/home/kernel/t/b", ROOT);
      files.writeAll("/home/kernel/t/b/roots", bytesOf("x"), ROOT);
      files.makeDirectory("/home/kernel/t/c", ROOT);
      files.writeAll("/home/kernel/t/z", bytesOf("x"), ROOT);
      expect(await rejectionCodeOf(files.removeTree("/home/kernel/t", KERNEL))).toBe("EACCES");
      expect(files.list("/home/kernel/t", ROOT).map(({ name }) => name)).toEqual(["b"]);
      files.unlink("/home/kernel/t/b/roots", ROOT);
      await files.removeTree("/home/kernel/t", KERNEL);
      expect(files.exists("/home/kernel/t", ROOT)).toBe(false);
    }));

  it("removes nothing else when a user's tree is moved or replaced during the removal", () =>
    withFiles(async ({ files }) => {
      files.makeDirectory("/home/kernel/t/a", KERNEL, { parents: true });
      for (let index = 0; index < 1000; index += 1) {
        files.writeAll(`/home/kernel/t/a/${index}`, bytesOf("x"), KERNEL);
      }
      const removed = files.removeTree("/home/kernel/t", KERNEL);
      files.rename("/home/kernel/t", "/home/kernel/u", KERNEL);
      files.makeDirectory("/home/kernel/t/a", KERNEL, { parents: true });
      await removed;
      expect(files.exists("/home/kernel/t/a", ROOT)).toBe(true);
    }));

  const NOT_REMOVABLE: [string, string][] = [
    ["/tmp/missing", "ENOENT"],
    ["/", "EBUSY"],
    ["/tmp/.", "EINVAL"],
    ["/tmp/..", "ENOTEMPTY"],
    ["/etc/passwd/", "ENOTDIR"],
    ["/etc/passwd/x", "ENOTDIR"],
  ];

  it.each(NOT_REMOVABLE)("does not remove the tree %s", (path, code) =>
    withFiles(async ({ files, storage }) => {
      const before = countRows(storage);
      expect(await rejectionCodeOf(files.removeTree(path, ROOT))).toBe(code);
      expect(countRows(storage)).toEqual(before);
    }),
  );

  it("removes a file, and a symlink without its target", () =>
    withFiles(async ({ files }) => {
      files.writeAll("/tmp/f", bytesOf("x"), ROOT);
      files.symlink("/etc", "/tmp/l", ROOT);
      await files.removeTree("/tmp/f", ROOT);
      await files.removeTree("/tmp/l", ROOT);
      expect(files.list("/tmp", ROOT)).toEqual([]);
      expect(files.exists("/etc/passwd", ROOT)).toBe(true);
    }));

  it("replaces files, empty directories and symlinks by renaming", () =>
    withFiles(({ files }) => {
      files.writeAll("/tmp/a", bytesOf("a"), ROOT);
      files.writeAll("/tmp/b", bytesOf("b"), ROOT);
      files.rename("/tmp/a", "/tmp/b", ROOT);
      expect(textOf(files.readAll("/tmp/b", ROOT))).toBe("a");
      files.symlink("b", "/tmp/l", ROOT);
      files.rename("/tmp/b", "/tmp/l", ROOT);
      expect(files.list("/tmp", ROOT).map(({ name, type }) => [name, type])).toEqual([["l", "file"]]);
      files.makeDirectory("/tmp/d/full", ROOT, { parents: true });
      files.makeDirectory("/tmp/e", ROOT);
      files.rename("/tmp/d", "/tmp/e/", ROOT);
      expect(files.exists("/tmp/e/full", ROOT)).toBe(true);
      expect(files.status("/tmp", ROOT).links).toBe(3);
    }));

  it("does nothing when a file is renamed to another hard link of itself", () =>
    withFiles(async ({ files }) => {
      files.writeAll("/tmp/a", bytesOf("a"), ROOT);
      files.link("/tmp/a", "/tmp/b", ROOT);
      expect(await changesOf(files, () => files.rename("/tmp/a", "/tmp/b", ROOT))).toEqual([]);
      expect(files.status("/tmp/a", ROOT).links).toBe(2);
    }));

  it("counts hard links in a removed tree once", () =>
    withFiles(async ({ files }) => {
      const before = files.usage();
      files.makeDirectory("/tmp/t", ROOT);
      files.writeAll("/tmp/t/f", bytesOf("x"), ROOT);
      files.link("/tmp/t/f", "/tmp/t/g", ROOT);
      files.link("/tmp/t/f", "/tmp/outside", ROOT);
      await files.removeTree("/tmp/t", ROOT);
      expect(files.status("/tmp/outside", ROOT).links).toBe(1);
      expect(files.usage()).toEqual({
        ...before,
        usedBytes: before.usedBytes + NAME_BYTES + 1,
        files: before.files + 1,
      });
    }));
});

describe("watch", () => {
  const CHANGES: [string, (files: FileSystem) => unknown, [string, string, boolean][]][] = [
    [
      "a new file",
      (files) => files.writeAll("/tmp/n", bytesOf("x"), ROOT),
      [
        ["create", "/tmp/n", false],
        ["write", "/tmp/n", false],
      ],
    ],
    ["an empty file", (files) => files.writeAll("/tmp/n", bytesOf(""), ROOT), [["create", "/tmp/n", false]]],
    [
      "an overwritten file",
      (files) => files.writeAll("/tmp/f", bytesOf("x"), ROOT),
      [["write", "/tmp/f", false]],
    ],
    [
      "a file overwritten by a stream",
      (files) => files.write("/tmp/f", streamOf(bytesOf("x")), ROOT),
      [["write", "/tmp/f", false]],
    ],
    [
      "a file overwritten through a symlink",
      (files) => files.writeAll("/tmp/ld/../l", bytesOf("x"), ROOT),
      [["write", "/tmp/f", false]],
    ],
    [
      "an appended file",
      (files) => files.writeAll("/tmp/f", bytesOf("x"), ROOT, { append: true }),
      [["write", "/tmp/f", false]],
    ],
    ["an empty append", (files) => files.writeAll("/tmp/f", bytesOf(""), ROOT, { append: true }), []],
    [
      "a partly written file",
      (files) => files.writeRange("/tmp/f", bytesOf("x"), ROOT, 0),
      [["write", "/tmp/f", false]],
    ],
    ["a truncated file", (files) => files.truncate("/tmp/f", ROOT, 1), [["write", "/tmp/f", false]]],
    ["a copy", (files) => files.copyFile("/etc/passwd", "/tmp/f", ROOT), [["write", "/tmp/f", false]]],
    ["a directory", (files) => files.makeDirectory("/tmp/n", ROOT), [["create", "/tmp/n", true]]],
    [
      "directories with parents",
      (files) => files.makeDirectory("/tmp/d/n/m", ROOT, { parents: true }),
      [
        ["create", "/tmp/d/n", true],
        ["create", "/tmp/d/n/m", true],
      ],
    ],
    ["a symlink", (files) => files.symlink("f", "/tmp/n", ROOT), [["create", "/tmp/n", false]]],
    ["a hard link", (files) => files.link("/tmp/f", "/tmp/ld/n", ROOT), [["create", "/tmp/d/n", false]]],
    ["a removed file", (files) => files.unlink("/tmp/f", ROOT), [["delete", "/tmp/f", false]]],
    ["a removed directory", (files) => files.removeDirectory("/tmp/d", ROOT), [["delete", "/tmp/d", true]]],
    [
      "a rename",
      (files) => files.rename("/tmp/d", "/tmp/n", ROOT),
      [
        ["rename", "/tmp/d", true],
        ["create", "/tmp/n", true],
      ],
    ],
    ["a changed mode", (files) => files.changeMode("/tmp/f", ROOT, 0o600), []],
    ["a failed operation", (files) => errorCodeOf(() => files.makeDirectory("/tmp/n/m", ROOT)), []],
  ];

  it.each(CHANGES)("reports %s", (_, work, expected) =>
    withFiles(async ({ files }) => {
      files.writeAll("/tmp/f", bytesOf("old"), ROOT);
      files.makeDirectory("/tmp/d", ROOT);
      files.symlink("f", "/tmp/l", ROOT);
      files.symlink("d", "/tmp/ld", ROOT);
      const changes = await changesOf(files, () => work(files));
      expect(changes.map(({ type, path, isDirectory }) => [type, path, isDirectory])).toEqual(expected);
    }),
  );

  it("notifies after the change, and the listener can make another", () =>
    withFiles(({ files }) => {
      const seen: unknown[] = [];
      const end = files.watch(({ type, path }) => {
        seen.push([type, path, files.exists(path, ROOT)]);
        if (path === "/tmp/a") files.rename("/tmp/a", "/tmp/b", ROOT);
      });
      files.makeDirectory("/tmp/a", ROOT);
      end();
      files.removeDirectory("/tmp/b", ROOT);
      expect(seen).toContainEqual(["create", "/tmp/a", true]);
      expect(seen).toContainEqual(["create", "/tmp/b", true]);
      expect(seen).toHaveLength(3);
    }));

  it("survives a listener that throws", () =>
    withFiles(async ({ files }) => {
      files.watch(() => {
        throw new Error("listener failed");
      });
      const changes = await changesOf(files, () => files.makeDirectory("/tmp/d", ROOT));
      expect(changes).toHaveLength(1);
      expect(files.exists("/tmp/d", ROOT)).toBe(true);
    }));
});
