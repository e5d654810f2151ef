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

/** A stream that waits, once it has given a piece, until it is told how to end. */
function heldStream(piece: Uint8Array) {
  const { promise: isWaiting, resolve: waits } = Promise.withResolvers<void>();
  const { promise: end, resolve: close, reject: fail } = Promise.withResolvers<void>();
  let isGiven = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!isGiven) {
          isGiven = true;
          controller.enqueue(piece);
          return;
        }
        waits();
        await end;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, isWaiting, close, fail };
}

/** A stream that tells whether it was asked for anything, and whether it was cancelled. */
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

/** How often a timer gets its turn while something goes on. */
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

describe("a file written by a stream", () => {
  it("is what it was until the stream has ended", () =>
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

  it("stays whole when the stream breaks, and nothing is left of what came", () =>
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

  it("does not come to be, nor what is above it, when the stream breaks", () =>
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

  it("comes with what is above it", () =>
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

  const REFUSED: [
    string,
    (files: FileSystem, body: ReadableStream<Uint8Array>) => Promise<number>,
    string,
  ][] = [
    ["a directory", (files, body) => files.write("/tmp", body, ROOT), "EISDIR"],
    ["in a missing directory", (files, body) => files.write("/tmp/a/f", body, ROOT), "ENOENT"],
    ["below a file", (files, body) => files.write("/etc/passwd/f", body, ROOT, { parents: true }), "EEXIST"],
    ["where one may not write", (files, body) => files.write("/etc/new", body, KERNEL), "EACCES"],
    ["what one may not write", (files, body) => files.write("/etc/passwd", body, KERNEL), "EACCES"],
  ];

  it.each(REFUSED)("is refused before anything is read where it is %s", (_, write, code) =>
    withFiles(async ({ files, storage }) => {
      const before = countRows(storage);
      const { body, seen } = watchedStream();
      expect(await rejectionCodeOf(write(files, body))).toBe(code);
      expect(seen).toEqual({ pulled: 0, cancelled: true });
      expect(countRows(storage)).toEqual(before);
    }),
  );

  const CHANGED: [string, (files: FileSystem) => void, string][] = [
    ["its directory is gone", (files) => files.removeDirectory("/tmp/d", ROOT), "ENOENT"],
    ["a directory has taken its place", (files) => files.makeDirectory("/tmp/d/f", ROOT), "EISDIR"],
    ["its directory was taken away", (files) => files.changeMode("/tmp/d", ROOT, 0o555), "EACCES"],
  ];

  it.each(CHANGED)("is refused at the end where meanwhile %s", (_, change, code) =>
    withFiles(async ({ files, storage }) => {
      files.makeDirectory("/tmp/d", KERNEL);
      const stream = heldStream(LARGE);
      const written = files.write("/tmp/d/f", stream.body, KERNEL);
      await stream.isWaiting;
      change(files);
      const { inodes, names } = countRows(storage);
      stream.close();
      expect(await rejectionCodeOf(written)).toBe(code);
      // The orphan is gone, and nothing else.
      expect(countRows(storage)).toMatchObject({ inodes: (inodes ?? 0) - 1, names });
    }),
  );

  it("lets others have their turn while it comes, and while it is read", () =>
    withFiles(async ({ files }) => {
      const written = files.write("/tmp/f", streamOf(patternOf(200 * CHUNK_BYTES)), ROOT);
      expect(await turnsDuring(written)).toBeGreaterThanOrEqual(5);
      const read = collect(files.read("/tmp/f", ROOT).body);
      expect(await turnsDuring(read)).toBeGreaterThanOrEqual(5);
    }));

  it("is refused once the file system is closed", () =>
    withFiles(async ({ files }) => {
      const stream = heldStream(LARGE);
      const written = files.write("/tmp/f", stream.body, ROOT);
      await stream.isWaiting;
      files.close();
      stream.close();
      expect(await rejectionCodeOf(written)).toBe("EIO");
    }));
});

describe("a file that is read by a stream", () => {
  const REPLACED: [string, (files: FileSystem) => unknown][] = [
    ["is written anew", (files) => files.writeAll("/tmp/f", bytesOf("new"), ROOT)],
    ["is written anew by a stream", (files) => files.write("/tmp/f", streamOf(bytesOf("new")), ROOT)],
    ["is emptied", (files) => files.truncate("/tmp/f", ROOT, 0)],
    ["is unlinked", (files) => files.unlink("/tmp/f", ROOT)],
    ["is replaced by a rename", (files) => files.rename("/etc/passwd", "/tmp/f", ROOT)],
    ["is added to", (files) => files.writeAll("/tmp/f", LARGE, ROOT, { append: true })],
    ["is gone with its directory", (files) => files.removeTree("/tmp", ROOT)],
  ];

  // What is small is removed in another way than what is large.
  const contents = [LARGE, patternOf(10 * CHUNK_BYTES)];

  const cases = contents.flatMap((bytes) =>
    REPLACED.map(([what, change]) => [bytes.length, what, bytes, change] as const),
  );

  it.each(cases)("of %i bytes is read as it was when it %s meanwhile", (_, _what, bytes, change) =>
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

  it("is read no further when the stream is cancelled", () =>
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

  it("has the announced length also when it is cut or written in places meanwhile", () =>
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

  it("costs no copy when it is only added to", () =>
    withFiles(async ({ files, storage }) => {
      files.writeAll("/tmp/f", patternOf(1000), ROOT);
      const { chunks } = countRows(storage);
      const { body } = files.read("/tmp/f", ROOT);
      files.writeAll("/tmp/f", patternOf(1000), ROOT, { append: true });
      expect(countRows(storage).chunks).toBe(chunks);
      expectBytes(await collect(body), patternOf(1000));
    }));

  it("is empty, and has an end at once", () =>
    withFiles(async ({ files }) => {
      files.writeAll("/tmp/f", bytesOf(""), ROOT);
      expect(await collect(files.read("/tmp/f", ROOT).body)).toHaveLength(0);
    }));

  it("takes a reader that brings its own buffer", () =>
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

/** That there are rows for nothing but what can be reached, once the file is gone. */
async function expectNothingLeft(files: FileSystem, storage: Storage): Promise<void> {
  if (files.exists("/tmp/f", ROOT)) await files.removeTree("/tmp/f", ROOT);
  const orphans = storage.sql.exec("SELECT id FROM inode WHERE links = 0").toArray();
  const chunks = storage.sql
    .exec("SELECT id FROM content_chunk WHERE id / 4194304 NOT IN (SELECT content FROM inode) OR id < 0")
    .toArray();
  expect({ orphans, chunks }).toEqual({ orphans: [], chunks: [] });
}
