import { describe, expect, it } from "vitest";
import { CHUNK_BYTES } from "../../src/file-system/contents.ts";
import { ROOT } from "../../src/users.ts";
import {
  bytesOf,
  collect,
  countRows,
  expectBytes,
  patternOf,
  streamOf,
  textOf,
  withFiles,
} from "./open-files.ts";

const SIZES = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES + 12_345];

describe("FileSystem", () => {
  it.each(SIZES)("reads back %i bytes that were written, streamed or copied", (size) =>
    withFiles(async ({ files }) => {
      const bytes = patternOf(size);
      files.writeAll("/tmp/whole", bytes, ROOT);
      const written = await files.write("/tmp/streamed", streamOf(bytes), ROOT);
      expect(written).toBe(size);
      await files.copyFile("/tmp/streamed", "/tmp/copied", ROOT);
      for (const path of ["/tmp/whole", "/tmp/streamed", "/tmp/copied"]) {
        expect(files.status(path, ROOT).size).toBe(size);
        expectBytes(files.readAll(path, ROOT), bytes);
        const { size: reportedSize, body } = files.read(path, ROOT);
        expect(reportedSize).toBe(size);
        expectBytes(await collect(body), bytes);
      }
    }),
  );

  it("accepts stream chunks of any size", () =>
    withFiles(async ({ files }) => {
      const bytes = patternOf(2 * CHUNK_BYTES + 100);
      const cuts = [0, 1, 1, 500, CHUNK_BYTES, CHUNK_BYTES + 3, bytes.length];
      const pieces = cuts.map((from, index) => bytes.slice(from, cuts[index + 1] ?? bytes.length));
      expect(await files.write("/tmp/f", streamOf(...pieces), ROOT)).toBe(bytes.length);
      expectBytes(files.readAll("/tmp/f", ROOT), bytes);
    }));

  it("reads a range, which may be shorter at the end", () =>
    withFiles(({ files }) => {
      const bytes = patternOf(2 * CHUNK_BYTES);
      files.writeAll("/tmp/f", bytes, ROOT);
      const read = (offset: number, length: number) => files.readRange("/tmp/f", ROOT, offset, length);
      expectBytes(read(CHUNK_BYTES - 3, 6), bytes.slice(CHUNK_BYTES - 3, CHUNK_BYTES + 3));
      expectBytes(read(2 * CHUNK_BYTES - 2, 100), bytes.slice(-2));
      expect(read(2 * CHUNK_BYTES, 1)).toHaveLength(0);
      expect(read(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).toHaveLength(0);
      expect(files.readAll("/tmp/f", ROOT, bytes.length)).toHaveLength(bytes.length);
    }));

  it("appends across the end of a chunk", () =>
    withFiles(({ files }) => {
      const bytes = patternOf(CHUNK_BYTES + 10);
      files.writeAll("/tmp/f", bytes.slice(0, CHUNK_BYTES - 10), ROOT, { append: true });
      files.writeAll("/tmp/f", bytes.slice(CHUNK_BYTES - 10), ROOT, { append: true });
      expectBytes(files.readAll("/tmp/f", ROOT), bytes);
    }));

  it("appends to a large file without rewriting it", () =>
    withFiles(({ files, storage }) => {
      files.writeAll("/tmp/f", patternOf(20 * CHUNK_BYTES + 5), ROOT);
      const rowsWritten = () =>
        storage.sql.exec<{ rows: number }>("SELECT total_changes() AS rows").one().rows;
      const before = rowsWritten();
      files.writeAll("/tmp/f", bytesOf("more"), ROOT, { append: true });
      // The last chunk, the inode and the usage.
      expect(rowsWritten() - before).toBe(3);
    }));

  it("writes into a file and fills gaps with zeros", () =>
    withFiles(({ files }) => {
      const expected = patternOf(CHUNK_BYTES + 10);
      files.writeAll("/tmp/f", expected, ROOT);
      const inserted = patternOf(20, 99);
      files.writeRange("/tmp/f", inserted, ROOT, CHUNK_BYTES - 10);
      expected.set(inserted.slice(0, 20), CHUNK_BYTES - 10);
      expectBytes(files.readAll("/tmp/f", ROOT).slice(0, expected.length), expected);

      files.writeRange("/tmp/f", bytesOf("end"), ROOT, 3 * CHUNK_BYTES);
      const grown = files.readAll("/tmp/f", ROOT);
      expect(grown).toHaveLength(3 * CHUNK_BYTES + 3);
      expect(textOf(grown.slice(-3))).toBe("end");
      expect(grown.slice(CHUNK_BYTES + 10, -3).every((byte) => byte === 0)).toBe(true);
    }));

  it("does not restore truncated content when a file grows", () =>
    withFiles(({ files, storage }) => {
      files.writeAll("/tmp/f", patternOf(3 * CHUNK_BYTES), ROOT);
      const without = countRows(storage).chunks ?? 0;
      files.truncate("/tmp/f", ROOT, CHUNK_BYTES + 4);
      expect(countRows(storage).chunks).toBe(without - 1);
      files.truncate("/tmp/f", ROOT, 3 * CHUNK_BYTES);
      const bytes = files.readAll("/tmp/f", ROOT);
      expectBytes(bytes.slice(0, CHUNK_BYTES + 4), patternOf(CHUNK_BYTES + 4));
      expect(bytes.slice(CHUNK_BYTES + 4).every((byte) => byte === 0)).toBe(true);
      expect(bytes).toHaveLength(3 * CHUNK_BYTES);
    }));

  it("leaves no rows of previous content", () =>
    withFiles(async ({ files, storage }) => {
      const before = countRows(storage);
      files.writeAll("/tmp/f", patternOf(5 * CHUNK_BYTES), ROOT);
      files.writeAll("/tmp/f", patternOf(10), ROOT);
      await files.write("/tmp/f", streamOf(patternOf(40 * CHUNK_BYTES)), ROOT);
      await files.write("/tmp/f", streamOf(patternOf(2 * CHUNK_BYTES)), ROOT);
      files.unlink("/tmp/f", ROOT);
      await files.reclaimed();
      expect(countRows(storage)).toEqual(before);
    }));

  it("shares content between hard links until the last one is removed", () =>
    withFiles(({ files }) => {
      files.writeAll("/tmp/a", bytesOf("one"), ROOT);
      files.link("/tmp/a", "/tmp/b", ROOT);
      files.writeAll("/tmp/b", bytesOf(" two"), ROOT, { append: true });
      expect(textOf(files.readAll("/tmp/a", ROOT))).toBe("one two");
      expect(files.status("/tmp/a", ROOT)).toEqual(files.status("/tmp/b", ROOT));
      expect(files.status("/tmp/a", ROOT).links).toBe(2);
      files.unlink("/tmp/a", ROOT);
      expect(textOf(files.readAll("/tmp/b", ROOT))).toBe("one two");
      expect(files.status("/tmp/b", ROOT).links).toBe(1);
    }));

  it("replaces the target of a symlink and keeps the symlink", () =>
    withFiles(async ({ files }) => {
      files.writeAll("/tmp/f", bytesOf("old"), ROOT);
      files.symlink("f", "/tmp/l", ROOT);
      await files.write("/tmp/l", streamOf(bytesOf("new")), ROOT);
      expect(textOf(files.readAll("/tmp/f", ROOT))).toBe("new");
      expect(files.readSymlink("/tmp/l", ROOT)).toBe("f");
    }));

  it("reports the same sizes as stat", () =>
    withFiles(({ files }) => {
      files.symlink("tärget", "/tmp/l", ROOT);
      expect(files.status("/tmp/l", ROOT, { followSymlink: false }).size).toBe(7);
      expect(files.status("/tmp", ROOT).size).toBe(4096);
      expect(Object.keys(files.status("/tmp", ROOT)).sort()).toEqual(
        Object.keys(files.list("/", ROOT)[0] ?? {})
          .filter((key) => key !== "name")
          .sort(),
      );
    }));

  it("updates times when a file is created, written, linked, renamed and changed", () => {
    let time = 1000;
    return withFiles(
      ({ files }) => {
        const at = (now: number, work: () => void) => {
          time = now;
          work();
        };
        const timesOf = (path: string) => {
          const { accessedAt, modifiedAt, changedAt } = files.status(path, ROOT);
          return { accessedAt, modifiedAt, changedAt };
        };
        at(2000, () => files.writeAll("/tmp/f", bytesOf("x"), ROOT));
        expect(timesOf("/tmp/f")).toEqual({ accessedAt: 2000, modifiedAt: 2000, changedAt: 2000 });
        expect(timesOf("/tmp")).toMatchObject({ modifiedAt: 2000, changedAt: 2000 });
        at(3000, () => files.writeAll("/tmp/f", bytesOf("y"), ROOT, { append: true }));
        expect(timesOf("/tmp/f")).toEqual({ accessedAt: 2000, modifiedAt: 3000, changedAt: 3000 });
        expect(timesOf("/tmp")).toMatchObject({ modifiedAt: 2000 });
        at(3500, () => files.writeAll("/tmp/f", bytesOf(""), ROOT, { append: true }));
        expect(timesOf("/tmp/f").modifiedAt).toBe(3000);
        at(4000, () => files.changeMode("/tmp/f", ROOT, 0o600));
        expect(timesOf("/tmp/f")).toMatchObject({ modifiedAt: 3000, changedAt: 4000 });
        at(5000, () => files.setTimes("/tmp/f", ROOT, { accessedAt: 12.5, modifiedAt: -7 }));
        expect(timesOf("/tmp/f")).toEqual({ accessedAt: 12.5, modifiedAt: -7, changedAt: 5000 });
        at(6000, () => files.rename("/tmp/f", "/home/f", ROOT));
        expect(timesOf("/home/f")).toMatchObject({ modifiedAt: -7, changedAt: 6000 });
        expect(timesOf("/tmp")).toMatchObject({ modifiedAt: 6000 });
        expect(timesOf("/home")).toMatchObject({ modifiedAt: 6000 });
        at(7000, () => files.link("/home/f", "/tmp/g", ROOT));
        expect(timesOf("/home/f")).toMatchObject({ modifiedAt: -7, changedAt: 7000 });
        at(8000, () => files.unlink("/tmp/g", ROOT));
        expect(timesOf("/home/f")).toMatchObject({ modifiedAt: -7, changedAt: 8000 });
        at(9000, () => files.readAll("/home/f", ROOT));
        expect(timesOf("/home/f").accessedAt).toBe(12.5);
      },
      { now: () => time },
    );
  });
});
