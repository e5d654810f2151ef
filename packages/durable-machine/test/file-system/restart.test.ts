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

/** Long work that gets so many turns and then none, as of an object that crashes. */
class FewTurns extends TimeSlice {
  readonly #isOver = Promise.withResolvers<void>();
  #left: number;

  constructor(turns: number) {
    super();
    this.#left = turns;
  }

  get isOver(): Promise<void> {
    return this.#isOver.promise;
  }

  override async step(): Promise<void> {
    this.#left -= 1;
    if (this.#left >= 0) return;
    this.#isOver.resolve();
    await new Promise(() => undefined);
  }
}

describe("files after a restart", () => {
  it("are there as they were", () =>
    withFiles(async ({ files, reopen }) => {
      files.makeDirectory("/home/kernel/d", ROOT, { mode: 0o750 });
      await files.write("/home/kernel/d/f", streamOf(patternOf(3 * CHUNK_BYTES)), ROOT);
      files.symlink("d/f", "/home/kernel/l", ROOT);
      const before = { list: files.list("/home/kernel", ROOT), usage: files.usage() };
      const again = reopen();
      expect({ list: again.list("/home/kernel", ROOT), usage: again.usage() }).toEqual(before);
      expectBytes(again.readAll("/home/kernel/l", ROOT), patternOf(3 * CHUNK_BYTES));
      again.writeAll("/tmp/new", bytesOf("new"), ROOT);
      const inodes = [again.status("/home/kernel/d/f", ROOT).inode, again.status("/tmp/new", ROOT).inode];
      expect(inodes[1]).toBeGreaterThan(inodes[0] ?? 0);
    }));

  it("are rid of streams that were cut off", () =>
    withFiles(async ({ files, storage, reopen }) => {
      files.writeAll("/tmp/f", bytesOf("old"), ROOT);
      const before = { rows: countRows(storage), usage: files.usage() };
      const { promise: isWaiting, resolve: waits } = Promise.withResolvers<void>();
      const pieces = [patternOf(60 * CHUNK_BYTES)];
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const piece = pieces.pop();
            if (piece !== undefined) {
              controller.enqueue(piece);
              return undefined;
            }
            waits();
            return new Promise(() => undefined);
          },
        },
        { highWaterMark: 0 },
      );
      void files.write("/tmp/f", body, ROOT);
      await isWaiting;
      expect(countRows(storage).chunks).toBeGreaterThan(60);
      const again = reopen();
      await again.reclaimed();
      expect({ rows: countRows(storage), usage: again.usage() }).toEqual(before);
      expect(textOf(again.readAll("/tmp/f", ROOT))).toBe("old");
    }));

  it.each([0, 1, 2, 5, 6, 9])(
    "are rid of a tree whose removal got %i turns, and had none of it before",
    (turns) =>
      withFiles(async ({ storage, files, reopen }) => {
        const before = { rows: countRows(storage), usage: files.usage() };
        for (const directory of ["/tmp/t/a", "/tmp/t/b"]) {
          files.makeDirectory(directory, ROOT, { parents: true });
          for (let index = 0; index < 300; index += 1) {
            files.writeAll(`${directory}/${index}`, bytesOf("x"), ROOT);
          }
        }
        files.writeAll("/tmp/t/large", patternOf(50 * CHUNK_BYTES), ROOT);
        const slice = new FewTurns(turns);
        const crashing = reopen({ slice });
        void crashing.removeTree("/tmp/t", ROOT);
        expect(crashing.exists("/tmp/t", ROOT)).toBe(false);
        await slice.isOver;
        expect(countRows(storage).names).toBeGreaterThan(before.rows.names ?? 0);
        const again = reopen();
        await again.reclaimed();
        expect({ rows: countRows(storage), usage: again.usage() }).toEqual(before);
      }),
  );

  it("are rid of what was kept for those who read it", () =>
    withFiles(async ({ files, storage, reopen }) => {
      files.writeAll("/tmp/f", patternOf(50 * CHUNK_BYTES), ROOT);
      const { chunks = 0 } = countRows(storage);
      const { usedBytes } = files.usage();
      const { size } = files.read("/tmp/f", ROOT);
      files.unlink("/tmp/f", ROOT);
      expect(countRows(storage).chunks).toBe(chunks);
      const again = reopen();
      await again.reclaimed();
      expect(countRows(storage).chunks).toBe(chunks - 50);
      expect(again.usage().usedBytes).toBe(usedBytes - 50 * CHUNK_BYTES - 512);
      expect(size).toBe(50 * CHUNK_BYTES);
    }));

  it("are not there before they are made, and a look writes nothing", () =>
    withFiles(async ({ files, storage, reopen }) => {
      files.writeAll("/tmp/f", bytesOf("x"), ROOT);
      await storage.deleteAll();
      expect(() => files.usage()).toThrow();
      expect(storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'inode'").toArray()).toEqual([]);
      expect(reopen().exists("/tmp/f", ROOT)).toBe(false);
    }));

  it("cannot be changed once they are closed", () =>
    withFiles(({ files }) => {
      files.close();
      expect(errorCodeOf(() => files.writeAll("/tmp/f", bytesOf("x"), ROOT))).toBe("EIO");
      expect(errorCodeOf(() => files.unlink("/etc/passwd", ROOT))).toBe("EIO");
      expect(files.exists("/etc/passwd", ROOT)).toBe(true);
    }));
});
