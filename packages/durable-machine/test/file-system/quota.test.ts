import { describe, expect, it } from "vitest";
import type { FileSystem } from "../../src/file-system/file-system.ts";
import { NAME_BYTES } from "../../src/file-system/volume.ts";
import { ROOT } from "../../src/users.ts";
import {
  bytesOf,
  countRows,
  errorCodeOf,
  expectBytes,
  patternOf,
  rejectionCodeOf,
  streamOf,
  textOf,
  withFiles,
} from "./open-files.ts";

const MEBIBYTE = 2 ** 20;
const QUOTA = 20 * MEBIBYTE;

function growth(files: FileSystem, work: () => unknown): [number, number] {
  const before = files.usage();
  work();
  const after = files.usage();
  return [after.usedBytes - before.usedBytes, after.files - before.files];
}

/** A stream that yields to the event loop before each piece. */
function slowStream(pieces: number): ReadableStream<Uint8Array> {
  let left = pieces;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (left === 0) controller.close();
      else controller.enqueue(patternOf(MEBIBYTE));
      left -= 1;
    },
  });
}

describe("quota", () => {
  it("counts content, names and targets of symlinks", () =>
    withFiles(({ files }) => {
      expect(growth(files, () => files.writeAll("/tmp/f", patternOf(1000), ROOT))).toEqual([
        1000 + NAME_BYTES,
        1,
      ]);
      expect(growth(files, () => files.writeAll("/tmp/f", patternOf(400), ROOT))).toEqual([-600, 0]);
      expect(growth(files, () => files.writeAll("/tmp/f", patternOf(7), ROOT, { append: true }))).toEqual([
        7, 0,
      ]);
      expect(growth(files, () => files.writeRange("/tmp/f", patternOf(7), ROOT, 403))).toEqual([3, 0]);
      expect(growth(files, () => files.truncate("/tmp/f", ROOT, 10_000))).toEqual([9590, 0]);
      expect(growth(files, () => files.truncate("/tmp/f", ROOT, 10))).toEqual([-9990, 0]);
      expect(growth(files, () => files.link("/tmp/f", "/tmp/g", ROOT))).toEqual([NAME_BYTES, 0]);
      expect(growth(files, () => files.unlink("/tmp/f", ROOT))).toEqual([-NAME_BYTES, 0]);
      expect(growth(files, () => files.symlink("täg", "/tmp/l", ROOT))).toEqual([4 + NAME_BYTES, 1]);
      expect(growth(files, () => files.rename("/tmp/l", "/tmp/g", ROOT))).toEqual([-10 - NAME_BYTES, -1]);
      expect(growth(files, () => files.makeDirectory("/tmp/d", ROOT))).toEqual([NAME_BYTES, 1]);
      expect(growth(files, () => files.removeDirectory("/tmp/d", ROOT))).toEqual([-NAME_BYTES, -1]);
      expect(growth(files, () => files.unlink("/tmp/g", ROOT))).toEqual([-4 - NAME_BYTES, -1]);
    }));

  const OVER_QUOTA: [string, (files: FileSystem) => unknown][] = [
    ["a new file", (files) => files.writeAll("/tmp/new", patternOf(QUOTA), ROOT)],
    ["an existing file", (files) => files.writeAll("/tmp/f", patternOf(QUOTA), ROOT)],
    ["an appended file", (files) => files.writeAll("/tmp/f", patternOf(QUOTA), ROOT, { append: true })],
    ["a hole", (files) => files.truncate("/tmp/f", ROOT, 10 * QUOTA)],
    ["a write far beyond the end", (files) => files.writeRange("/tmp/f", patternOf(1), ROOT, 2 ** 50)],
  ];

  it.each(OVER_QUOTA)("rejects %s entirely", (_, write) =>
    withFiles(
      ({ files, storage }) => {
        files.writeAll("/tmp/f", bytesOf("old"), ROOT);
        const before = { rows: countRows(storage), usage: files.usage() };
        expect(errorCodeOf(() => write(files))).toBe("ENOSPC");
        expect({ rows: countRows(storage), usage: files.usage() }).toEqual(before);
        expect(textOf(files.readAll("/tmp/f", ROOT))).toBe("old");
      },
      { quotaBytes: QUOTA },
    ),
  );

  it("rejects a stream that exceeds it and discards its data", () =>
    withFiles(
      async ({ files, storage }) => {
        files.writeAll("/tmp/f", bytesOf("old"), ROOT);
        const before = { rows: countRows(storage), usage: files.usage() };
        let pulled = 0;
        let isCancelled = false;
        const endless = new ReadableStream<Uint8Array>({
          pull(controller) {
            pulled += 1;
            controller.enqueue(patternOf(MEBIBYTE));
          },
          cancel() {
            isCancelled = true;
          },
        });
        expect(await rejectionCodeOf(files.write("/tmp/f", endless, ROOT))).toBe("ENOSPC");
        expect({ rows: countRows(storage), usage: files.usage() }).toEqual(before);
        expect(textOf(files.readAll("/tmp/f", ROOT))).toBe("old");
        expect(isCancelled).toBe(true);
        expect(pulled).toBeLessThan(25);
      },
      { quotaBytes: QUOTA },
    ));

  it("limits concurrent streams together", () =>
    withFiles(
      async ({ files }) => {
        const written = ["/tmp/a", "/tmp/b", "/tmp/c"].map((path) =>
          rejectionCodeOf(files.write(path, slowStream(9), ROOT)),
        );
        let peak = 0;
        const watch = setInterval(() => {
          peak = Math.max(peak, files.usage().usedBytes);
        }, 0);
        const errors = await Promise.all(written);
        clearInterval(watch);
        // One or two succeed, because the space of a rejected stream may be enough for another.
        const succeeded = errors.filter((error) => error === undefined).length;
        expect([1, 2]).toContain(succeeded);
        expect(new Set(errors)).toEqual(new Set([undefined, "ENOSPC"]));
        expect(peak).toBeLessThanOrEqual(QUOTA);
        expect(peak).toBeGreaterThan(15 * MEBIBYTE);
        const names = files.list("/tmp", ROOT);
        expect(names.map(({ size }) => size)).toEqual(names.map(() => 9 * MEBIBYTE));
        expect(names).toHaveLength(succeeded);
      },
      { quotaBytes: QUOTA },
    ));

  it("limits the number of empty files", () =>
    withFiles(
      ({ files }) => {
        const capacity = Math.floor((100_000 - files.usage().usedBytes) / NAME_BYTES);
        const make = (index: number) => files.writeAll(`/tmp/${index}`, bytesOf(""), ROOT);
        for (let index = 0; index < capacity; index += 1) make(index);
        expect(errorCodeOf(() => make(capacity))).toBe("ENOSPC");
        expect(errorCodeOf(() => files.makeDirectory("/tmp/d", ROOT))).toBe("ENOSPC");
        expect(errorCodeOf(() => files.link("/tmp/0", "/tmp/l", ROOT))).toBe("ENOSPC");
        expect(errorCodeOf(() => files.symlink("0", "/tmp/l", ROOT))).toBe("ENOSPC");
        files.rename("/tmp/0", "/tmp/renamed", ROOT);
        files.unlink("/tmp/renamed", ROOT);
        make(capacity);
      },
      { quotaBytes: 100_000 },
    ));

  it("reclaims the space of removed files immediately if needed", () =>
    withFiles(
      ({ files }) => {
        const large = patternOf(15 * MEBIBYTE);
        files.writeAll("/tmp/f", large, ROOT);
        // Large files are reclaimed gradually, so that the rows still exist.
        files.unlink("/tmp/f", ROOT);
        expect(files.usage().usedBytes).toBeGreaterThan(large.length);
        files.writeAll("/tmp/g", large, ROOT);
        expectBytes(files.readAll("/tmp/g", ROOT), large);
        files.writeAll("/tmp/g", large, ROOT);
        files.writeAll("/tmp/g", large, ROOT);
        expectBytes(files.readAll("/tmp/g", ROOT), large);
        expect(files.usage().usedBytes).toBeLessThanOrEqual(QUOTA);
      },
      { quotaBytes: QUOTA },
    ));

  it("counts removed files while they are being read", () =>
    withFiles(
      async ({ files }) => {
        files.writeAll("/tmp/f", patternOf(15 * MEBIBYTE), ROOT);
        const { body } = files.read("/tmp/f", ROOT);
        files.unlink("/tmp/f", ROOT);
        await files.reclaimed();
        const write = () => files.writeAll("/tmp/g", patternOf(15 * MEBIBYTE), ROOT);
        expect(errorCodeOf(write)).toBe("ENOSPC");
        await body.cancel();
        write();
      },
      { quotaBytes: QUOTA },
    ));

  it("applies to copies", () =>
    withFiles(
      async ({ files, storage }) => {
        await files.write("/tmp/f", streamOf(patternOf(12 * MEBIBYTE)), ROOT);
        const before = countRows(storage);
        expect(await rejectionCodeOf(files.copyFile("/tmp/f", "/tmp/g", ROOT))).toBe("ENOSPC");
        expect(files.exists("/tmp/g", ROOT)).toBe(false);
        expect(countRows(storage)).toEqual(before);
      },
      { quotaBytes: QUOTA },
    ));
});
