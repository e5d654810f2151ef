import { describe, expect, it } from "vitest";
import { CHUNK_BYTES } from "../../src/file-system/contents.ts";
import { TimeSlice } from "../../src/time-slice.ts";
import { ROOT } from "../../src/users.ts";
import {
  bytesOf,
  countRows,
  errorCodeOf,
  expectBytes,
  patternOf,
  streamOf,
  textOf,
  withFiles,
} from "./open-files.ts";

/** Stops long work after a number of turns, like a crash. */
class LimitedTurns extends TimeSlice {
  readonly #exhausted = Promise.withResolvers<void>();
  #left: number;

  constructor(turns: number) {
    super();
    this.#left = turns;
  }

  get exhausted(): Promise<void> {
    return this.#exhausted.promise;
  }

  override async step(): Promise<void> {
    this.#left -= 1;
    if (this.#left >= 0) return;
    this.#exhausted.resolve();
    await new Promise(() => undefined);
  }
}

describe("files after a restart", () => {
  it("are unchanged", () =>
    withFiles(async ({ files, reopen }) => {
      files.makeDirectory("/home/kernel/d", ROOT, { mode: 0o750 });
      await files.write("/home/kernel/d/f", streamOf(patternOf(3 * CHUNK_BYTES)), ROOT);
      files.symlink("d/f", "/home/kernel/l", ROOT);
      const before = { list: files.list("/home/kernel", ROOT), usage: files.usage() };
      const reopened = reopen();
      expect({ list: reopened.list("/home/kernel", ROOT), usage: reopened.usage() }).toEqual(before);
      expectBytes(reopened.readAll("/home/kernel/l", ROOT), patternOf(3 * CHUNK_BYTES));
      reopened.writeAll("/tmp/new", bytesOf("new"), ROOT);
      const inodes = [
        reopened.status("/home/kernel/d/f", ROOT).inode,
        reopened.status("/tmp/new", ROOT).inode,
      ];
      expect(inodes[1]).toBeGreaterThan(inodes[0] ?? 0);
    }));

  it("do not contain data of interrupted streams", () =>
    withFiles(async ({ files, storage, reopen }) => {
      files.writeAll("/tmp/f", bytesOf("old"), ROOT);
      const before = { rows: countRows(storage), usage: files.usage() };
      const { promise: isWaiting, resolve: setWaiting } = Promise.withResolvers<void>();
      const pieces = [patternOf(60 * CHUNK_BYTES)];
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const piece = pieces.pop();
            if (piece !== undefined) {
              controller.enqueue(piece);
              return undefined;
            }
            setWaiting();
            return new Promise(() => undefined);
          },
        },
        { highWaterMark: 0 },
      );
      void files.write("/tmp/f", body, ROOT);
      await isWaiting;
      expect(countRows(storage).chunks).toBeGreaterThan(60);
      const reopened = reopen();
      await reopened.reclaimed();
      expect({ rows: countRows(storage), usage: reopened.usage() }).toEqual(before);
      expect(textOf(reopened.readAll("/tmp/f", ROOT))).toBe("old");
    }));

  it.each([0, 1, 2, 5, 6, 9])("do not contain a tree whose removal was interrupted after %i turns", (turns) =>
    withFiles(async ({ storage, files, reopen }) => {
      const before = { rows: countRows(storage), usage: files.usage() };
      for (const directory of ["/tmp/t/a", "/tmp/t/b"]) {
        files.makeDirectory(directory, ROOT, { parents: true });
        for (let index = 0; index < 300; index += 1) {
          files.writeAll(`${directory}/${index}`, bytesOf("x"), ROOT);
        }
      }
      files.writeAll("/tmp/t/large", patternOf(50 * CHUNK_BYTES), ROOT);
      const slice = new LimitedTurns(turns);
      const crashing = reopen({ slice });
      void crashing.removeTree("/tmp/t", ROOT);
      expect(crashing.exists("/tmp/t", ROOT)).toBe(false);
      await slice.exhausted;
      expect(countRows(storage).names).toBeGreaterThan(before.rows.names ?? 0);
      const reopened = reopen();
      await reopened.reclaimed();
      expect({ rows: countRows(storage), usage: reopened.usage() }).toEqual(before);
    }),
  );

  it("do not contain removed content that was being read", () =>
    withFiles(async ({ files, storage, reopen }) => {
      files.writeAll("/tmp/f", patternOf(50 * CHUNK_BYTES), ROOT);
      const { chunks = 0 } = countRows(storage);
      const { usedBytes } = files.usage();
      const { size } = files.read("/tmp/f", ROOT);
      files.unlink("/tmp/f", ROOT);
      expect(countRows(storage).chunks).toBe(chunks);
      const reopened = reopen();
      await reopened.reclaimed();
      expect(countRows(storage).chunks).toBe(chunks - 50);
      expect(reopened.usage().usedBytes).toBe(usedBytes - 50 * CHUNK_BYTES - 512);
      expect(size).toBe(50 * CHUNK_BYTES);
    }));

  it("are not created by reading before `create`", () =>
    withFiles(async ({ files, storage, reopen }) => {
      files.writeAll("/tmp/f", bytesOf("x"), ROOT);
      await storage.deleteAll();
      expect(() => files.usage()).toThrow();
      expect(storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'inode'").toArray()).toEqual([]);
      expect(reopen().exists("/tmp/f", ROOT)).toBe(false);
    }));

  it("can be neither changed nor read after closing", () =>
    withFiles(({ files }) => {
      expect(files.exists("/etc/passwd", ROOT)).toBe(true);
      files.close();
      expect(errorCodeOf(() => files.writeAll("/tmp/f", bytesOf("x"), ROOT))).toBe("EIO");
      expect(errorCodeOf(() => files.unlink("/etc/passwd", ROOT))).toBe("EIO");
      expect(errorCodeOf(() => files.status("/etc/passwd", ROOT))).toBe("EIO");
      expect(errorCodeOf(() => files.list("/", ROOT))).toBe("EIO");
    }));
});
