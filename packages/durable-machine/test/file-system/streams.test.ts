import { describe, expect, it } from "vitest";
import { CHUNK_BYTES } from "../../src/file-system/contents.ts";
import type { FileSystem } from "../../src/file-system/file-system.ts";
import { ROOT } from "../../src/users.ts";
import { KERNEL } from "../identity.ts";
import type { Storage } from "../storage.ts";
import {
  bytesOf,
  changesOf,
  collect,
  countRows,
  expectBytes,
  patternOf,
  rejectionCodeOf,
  streamOf,
  textOf,
  withFiles,
} from "./open-files.ts";

const LARGE = patternOf(50 * CHUNK_BYTES + 77);

/** A stream that sends a piece and then waits for `close` or `fail`. */
function heldStream(piece: Uint8Array) {
  const { promise: isWaiting, resolve: setWaiting } = Promise.withResolvers<void>();
  const { promise: end, resolve: close, reject: fail } = Promise.withResolvers<void>();
  let isSent = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!isSent) {
          isSent = true;
          controller.enqueue(piece);
          return;
        }
        setWaiting();
        await end;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, isWaiting, close, fail };
}

function watchedStream() {
  const seen = { pulled: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        seen.pulled += 1;
        controller.enqueue(patternOf(CHUNK_BYTES));
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setTimeout(count, 0);
  };
  let timer = setTimeout(count, 0);
  await work;
  clearTimeout(timer);
  return turns;
}

describe("writing a file from a stream", () => {
  it("does not change the file before the stream ends", () =>
    withFiles(async ({ files }) => {
      files.writeAll("/tmp/f", bytesOf("old"), ROOT);
      const stream = heldStream(LARGE);
      const written = files.write("/tmp/f", stream.body, ROOT);
      await stream.isWaiting;
      expect(textOf(files.readAll("/tmp/f", ROOT))).toBe("old");
      stream.close();
      expect(await written).toBe(LARGE.length);
      expectBytes(files.readAll("/tmp/f", ROOT), LARGE);
    }));

  it("keeps the file and discards the data when the stream fails", () =>
    withFiles(async ({ files, storage }) => {
      files.writeAll("/tmp/f", bytesOf("old"), ROOT);
      const before = { rows: countRows(storage), usage: files.usage(), status: files.status("/tmp/f", ROOT) };
      const stream = heldStream(LARGE);
      const written = files.write("/tmp/f", stream.body, ROOT);
      await stream.isWaiting;
      expect(countRows(storage).chunks).toBeGreaterThan(50);
      stream.fail(new Error("broken"));
      await expect(written).rejects.toThrow("broken");
      expect(textOf(files.readAll("/tmp/f", ROOT))).toBe("old");
      expect({
        rows: countRows(storage),
        usage: files.usage(),
        status: files.status("/tmp/f", ROOT),
      }).toEqual(before);
    }));

  it("creates neither the file nor its parents when the stream fails", () =>
    withFiles(async ({ files, storage }) => {
      const before = countRows(storage);
      const stream = heldStream(LARGE);
      const changes = await changesOf(files, async () => {
        const written = files.write("/tmp/a/b/f", stream.body, ROOT, { parents: true });
        await stream.isWaiting;
        expect(files.exists("/tmp/a", ROOT)).toBe(false);
        stream.fail(new Error("broken"));
        await expect(written).rejects.toThrow("broken");
      });
      expect(changes).toEqual([]);
      expect(countRows(storage)).toEqual(before);
    }));

  it("creates parents", () =>
    withFiles(async ({ files }) => {
      const changes = await changesOf(files, () =>
        files.write("/tmp/a/b/f", streamOf(bytesOf("x")), ROOT, { parents: true, mode: 0o640 }),
      );
      expect(changes.map(({ type, path }) => [type, path])).toEqual([
        ["create", "/tmp/a"],
        ["create", "/tmp/a/b"],
        ["create", "/tmp/a/b/f"],
        ["write", "/tmp/a/b/f"],
      ]);
      expect(files.status("/tmp/a/b/f", ROOT).mode).toBe(0o640);
    }));

  const REJECTED: [
    string,
    (files: FileSystem, body: ReadableStream<Uint8Array>) => Promise<number>,
    string,
  ][] = [
    ["a directory", (files, body) => files.write("/tmp", body, ROOT), "EISDIR"],
    ["in a missing directory", (files, body) => files.write("/tmp/a/f", body, ROOT), "ENOENT"],
    ["below a file", (files, body) => files.write("/etc/passwd/f", body, ROOT, { parents: true }), "EEXIST"],
    ["in a directory that is not writable", (files, body) => files.write("/etc/new", body, KERNEL), "EACCES"],
    ["a file that is not writable", (files, body) => files.write("/etc/passwd", body, KERNEL), "EACCES"],
  ];

  it.each(REJECTED)("fails before reading the stream: %s", (_, write, code) =>
    withFiles(async ({ files, storage }) => {
      const before = countRows(storage);
      const { body, seen } = watchedStream();
      expect(await rejectionCodeOf(write(files, body))).toBe(code);
      expect(seen).toEqual({ pulled: 0, cancelled: true });
      expect(countRows(storage)).toEqual(before);
    }),
  );

  const CONCURRENT_CHANGES: [string, (files: FileSystem) => void, string][] = [
    ["its directory is removed", (files) => files.removeDirectory("/tmp/d", ROOT), "ENOENT"],
    ["a directory is created at its path", (files) => files.makeDirectory("/tmp/d/f", ROOT), "EISDIR"],
    ["its directory becomes read-only", (files) => files.changeMode("/tmp/d", ROOT, 0o555), "EACCES"],
  ];

  it.each(CONCURRENT_CHANGES)("fails at the end if meanwhile %s", (_, change, code) =>
    withFiles(async ({ files, storage }) => {
      files.makeDirectory("/tmp/d", KERNEL);
      const stream = heldStream(LARGE);
      const written = files.write("/tmp/d/f", stream.body, KERNEL);
      await stream.isWaiting;
      change(files);
      const { inodes, names } = countRows(storage);
      stream.close();
      expect(await rejectionCodeOf(written)).toBe(code);
      expect(countRows(storage)).toMatchObject({ inodes: (inodes ?? 0) - 1, names });
    }),
  );

  it("yields to the event loop while writing and reading", () =>
    withFiles(async ({ files }) => {
      const written = files.write("/tmp/f", streamOf(patternOf(200 * CHUNK_BYTES)), ROOT);
      expect(await turnsDuring(written)).toBeGreaterThanOrEqual(5);
      const read = collect(files.read("/tmp/f", ROOT).body);
      expect(await turnsDuring(read)).toBeGreaterThanOrEqual(5);
    }));

  it("fails once the file system is closed", () =>
    withFiles(async ({ files }) => {
      const stream = heldStream(LARGE);
      const written = files.write("/tmp/f", stream.body, ROOT);
      await stream.isWaiting;
      files.close();
      stream.close();
      expect(await rejectionCodeOf(written)).toBe("EIO");
    }));
});

describe("reading a file as a stream", () => {
  const CHANGES: [string, (files: FileSystem) => unknown][] = [
    ["is overwritten", (files) => files.writeAll("/tmp/f", bytesOf("new"), ROOT)],
    ["is overwritten by a stream", (files) => files.write("/tmp/f", streamOf(bytesOf("new")), ROOT)],
    ["is emptied", (files) => files.truncate("/tmp/f", ROOT, 0)],
    ["is unlinked", (files) => files.unlink("/tmp/f", ROOT)],
    ["is replaced by a rename", (files) => files.rename("/etc/passwd", "/tmp/f", ROOT)],
    ["is appended to", (files) => files.writeAll("/tmp/f", LARGE, ROOT, { append: true })],
    ["is removed with its directory", (files) => files.removeTree("/tmp", ROOT)],
  ];

  // Small and large files are removed differently.
  const contents = [LARGE, patternOf(10 * CHUNK_BYTES)];

  const cases = contents.flatMap((bytes) =>
    CHANGES.map(([name, change]) => [bytes.length, name, bytes, change] as const),
  );

  it.each(cases)("returns the original %i bytes when the file %s meanwhile", (_, _name, bytes, change) =>
    withFiles(async ({ files, storage }) => {
      files.writeAll("/tmp/f", bytes, ROOT);
      const first = files.read("/tmp/f", ROOT);
      const second = files.read("/tmp/f", ROOT);
      await change(files);
      await files.reclaimed();
      expect(first.size).toBe(bytes.length);
      expectBytes(await collect(first.body), bytes);
      expectBytes(await collect(second.body), bytes);
      await files.reclaimed();
      await expectNothingLeft(files, storage);
    }),
  );

  it("stops when the stream is cancelled", () =>
    withFiles(async ({ files, storage }) => {
      files.writeAll("/tmp/f", LARGE, ROOT);
      const reader = files.read("/tmp/f", ROOT).body.getReader();
      const { value = new Uint8Array() } = await reader.read();
      expectBytes(value, LARGE.slice(0, CHUNK_BYTES));
      files.unlink("/tmp/f", ROOT);
      await files.reclaimed();
      expect(countRows(storage).chunks).toBeGreaterThan(50);
      await reader.cancel();
      await files.reclaimed();
      await expectNothingLeft(files, storage);
    }));

  it("returns the reported length when the file is truncated or partly written meanwhile", () =>
    withFiles(async ({ files, storage }) => {
      files.writeAll("/tmp/f", LARGE, ROOT);
      const { size, body } = files.read("/tmp/f", ROOT);
      files.writeRange("/tmp/f", bytesOf("over"), ROOT, 10);
      files.truncate("/tmp/f", ROOT, CHUNK_BYTES + 9);
      const bytes = await collect(body);
      expect(bytes).toHaveLength(size);
      expect(textOf(bytes.slice(10, 14))).toBe("over");
      await expectNothingLeft(files, storage);
    }));

  it("does not copy content when the file is appended to", () =>
    withFiles(async ({ files, storage }) => {
      files.writeAll("/tmp/f", patternOf(1000), ROOT);
      const { chunks } = countRows(storage);
      const { body } = files.read("/tmp/f", ROOT);
      files.writeAll("/tmp/f", patternOf(1000), ROOT, { append: true });
      expect(countRows(storage).chunks).toBe(chunks);
      expectBytes(await collect(body), patternOf(1000));
    }));

  it("ends immediately for an empty file", () =>
    withFiles(async ({ files }) => {
      files.writeAll("/tmp/f", bytesOf(""), ROOT);
      expect(await collect(files.read("/tmp/f", ROOT).body)).toHaveLength(0);
    }));

  it("supports BYOB readers", () =>
    withFiles(async ({ files }) => {
      files.writeAll("/tmp/f", patternOf(1000), ROOT);
      const reader = files.read("/tmp/f", ROOT).body.getReader({ mode: "byob" });
      const pieces: number[] = [];
      for (;;) {
        const { done, value } = await reader.read(new Uint8Array(300));
        if (done) break;
        pieces.push(...value);
      }
      expect(pieces).toEqual([...patternOf(1000)]);
    }));
});

/** Checks that no unreachable rows are left after the file is removed. */
async function expectNothingLeft(files: FileSystem, storage: Storage): Promise<void> {
  if (files.exists("/tmp/f", ROOT)) await files.removeTree("/tmp/f", ROOT);
  const orphans = storage.sql.exec("SELECT id FROM inode WHERE links = 0").toArray();
  const chunks = storage.sql
    .exec("SELECT id FROM content_chunk WHERE id / 4194304 NOT IN (SELECT content FROM inode) OR id < 0")
    .toArray();
  expect({ orphans, chunks }).toEqual({ orphans: [], chunks: [] });
}
