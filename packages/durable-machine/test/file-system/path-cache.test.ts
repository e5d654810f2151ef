import fc from "fast-check";
import { expect, it } from "vitest";
import { FileSystem } from "../../src/file-system/file-system.ts";
import type { Sql } from "../../src/file-system/sql.ts";
import { TimeSlice } from "../../src/time-slice.ts";
import { ROOT } from "../../src/users.ts";
import { IDENTITY, KERNEL, onError } from "../identity.ts";
import type { Storage } from "../storage.ts";
import { bytesOf, errorCodeOf, streamOf, textOf, withFiles } from "./open-files.ts";

function newFiles({ transactionSync: transaction }: Storage, sql: Sql): FileSystem {
  const quotaBytes = 2 ** 20;
  return new FileSystem({
    sql,
    transaction,
    quotaBytes,
    slice: new TimeSlice(),
    identity: IDENTITY,
    onError,
  });
}

/** What all ways to a tree's files show. */
function factsOf(files: FileSystem, path: string): unknown[] {
  const entries = files.list(path, ROOT);
  return entries.flatMap(({ name, ...listed }) => {
    const below = `${path}/${name}`;
    const found = files.status(below, ROOT, { followSymlink: false });
    expect(listed).toEqual(found);
    const code = errorCodeOf(() => files.status(below, KERNEL));
    if (found.type === "directory") return [below, found, code, ...factsOf(files, below)];
    if (found.type === "symlink") return [below, found, code, files.readSymlink(below, ROOT)];
    return [below, found, code, textOf(files.readAll(below, ROOT))];
  });
}

const VERBS = [
  (files: FileSystem, path: string) => files.makeDirectory(path, ROOT),
  (files: FileSystem, path: string, other: string) =>
    files.makeDirectory(other + path, ROOT, { parents: true }),
  (files: FileSystem, path: string, other: string) => files.rename(path, other, ROOT),
  (files: FileSystem, path: string, other: string) => files.link(path, other, ROOT),
  (files: FileSystem, path: string, other: string) => files.symlink(other, path, ROOT),
  (files: FileSystem, path: string) => files.unlink(path, ROOT),
  (files: FileSystem, path: string) => files.removeDirectory(path, ROOT),
  (files: FileSystem, path: string) => files.removeTree(path, ROOT),
  (files: FileSystem, path: string) => files.changeMode(path, ROOT, 0o700),
  (files: FileSystem, path: string) => files.changeOwner(path, ROOT, { uid: KERNEL.uid }),
  (files: FileSystem, path: string) => files.setTimes(path, ROOT, { accessedAt: 0, modifiedAt: 1000 }),
  (files: FileSystem, path: string, other: string) => files.writeAll(path, bytesOf(other), ROOT),
  (files: FileSystem, path: string, other: string) =>
    files.writeAll(path, bytesOf(other), ROOT, { append: true }),
  (files: FileSystem, path: string) => files.truncate(path, ROOT, 1),
  (files: FileSystem, path: string, other: string) => files.write(path, streamOf(bytesOf(other)), KERNEL),
  (files: FileSystem, path: string, other: string) => files.copyFile(path, other, ROOT),
];

const names = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 });
const path = names.map((parts) => `/tmp/${parts.join("/")}`);
const operation = fc.record({ verb: fc.constantFrom(...VERBS), path, other: path, isUndone: fc.boolean() });

it("shows what files without a cache show after random operations", async () => {
  const property = fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 30 }), (operations) =>
    withFiles(async ({ files, storage }) => {
      files.makeDirectory("/tmp/a/b", ROOT, { parents: true });
      files.writeAll("/tmp/a/b/c", bytesOf("first"), ROOT);
      for (const { verb, path, other, isUndone } of operations) {
        try {
          if (isUndone) {
            files.atomically(() => {
              void Promise.resolve(verb(files, path, other)).catch(() => undefined);
              factsOf(files, "/tmp");
              throw new Error("undone");
            });
          }
          await verb(files, path, other);
        } catch {
          // Many operations are refused.
        }
        expect(factsOf(files, "/tmp")).toEqual(factsOf(newFiles(storage, storage.sql), "/tmp"));
      }
    }),
  );
  await fc.assert(property, { numRuns: 60 });
}, 60_000);

it("shows directories with more entries than are cached", () =>
  withFiles(
    ({ files, storage }) => {
      const count = 8200;
      files.makeDirectory("/tmp/a", ROOT);
      files.atomically(() => {
        for (let file = 0; file < count; file++) files.writeAll(`/tmp/a/${file}`, bytesOf(`${file}`), ROOT);
      });
      const facts = factsOf(files, "/tmp");
      expect(files.list("/tmp/a", ROOT).length).toBe(count);
      expect(facts).toEqual(factsOf(newFiles(storage, storage.sql), "/tmp"));
      files.writeAll("/tmp/a/8199", bytesOf("x"), ROOT);
      files.rename("/tmp/a/1", "/tmp/a/0", ROOT);
      expect(factsOf(files, "/tmp")).toEqual(factsOf(newFiles(storage, storage.sql), "/tmp"));
    },
    { quotaBytes: 2 ** 26 },
  ));

it("reads the attributes of a listed directory's files at once, even while others are written", () =>
  withFiles(async ({ files, storage }) => {
    files.makeDirectory("/tmp/a", ROOT);
    for (let file = 0; file < 100; file++) files.writeAll(`/tmp/a/${file}`, bytesOf("x"), ROOT);
    let statements = 0;
    const counted = newFiles(storage, {
      exec: (query, ...bindings) => {
        statements++;
        return storage.sql.exec(query, ...bindings);
      },
    });
    const lookAtAll = () => {
      statements = 0;
      for (const { name } of counted.list("/tmp/a", ROOT)) counted.status(`/tmp/a/${name}`, ROOT);
      return statements;
    };
    expect(lookAtAll()).toBeLessThan(10);
    await counted.write("/tmp/new", streamOf(bytesOf("x")), ROOT);
    statements = 0;
    for (let file = 0; file < 100; file++) counted.status(`/tmp/a/${file}`, ROOT);
    expect(statements).toBeLessThan(10);
  }));

it("reflects changes of directories in cached paths", () =>
  withFiles(({ files }) => {
    const read = () => textOf(files.readAll("/tmp/a/b/f", KERNEL));
    files.makeDirectory("/tmp/a/b", ROOT, { parents: true });
    files.makeDirectory("/tmp/other/b", ROOT, { parents: true });
    files.writeAll("/tmp/a/b/f", bytesOf("first"), ROOT);
    files.writeAll("/tmp/other/b/f", bytesOf("other"), ROOT);
    expect(read()).toBe("first");
    files.changeMode("/tmp/a", ROOT, 0o700);
    expect(errorCodeOf(read)).toBe("EACCES");
    files.changeOwner("/tmp/a", ROOT, { uid: KERNEL.uid });
    expect(read()).toBe("first");
    expect(files.status("/tmp/a", ROOT).links).toBe(3);
    files.makeDirectory("/tmp/a/c", ROOT);
    expect(files.status("/tmp/a", ROOT).links).toBe(4);

    files.rename("/tmp/a", "/tmp/moved", ROOT);
    expect(errorCodeOf(read)).toBe("ENOENT");
    files.symlink("/tmp/other", "/tmp/a", ROOT);
    expect(read()).toBe("other");
    files.unlink("/tmp/a", ROOT);
    files.rename("/tmp/moved", "/tmp/a", ROOT);
    expect(read()).toBe("first");
  }));

it("reflects nothing of a rolled back transaction", () =>
  withFiles(({ files }) => {
    files.makeDirectory("/tmp/a", ROOT);
    const failing = () =>
      files.atomically(() => {
        files.makeDirectory("/tmp/a/b", ROOT);
        files.changeMode("/tmp/a", ROOT, 0o700);
        files.makeDirectory("/tmp/a/b/c", ROOT);
        throw new Error("rolled back");
      });
    expect(failing).toThrow("rolled back");
    expect(errorCodeOf(() => files.status("/tmp/a/b/c", ROOT))).toBe("ENOENT");
    expect(errorCodeOf(() => files.status("/tmp/a/b", ROOT))).toBe("ENOENT");
    expect(files.status("/tmp/a", ROOT).mode).not.toBe(0o700);
  }));
