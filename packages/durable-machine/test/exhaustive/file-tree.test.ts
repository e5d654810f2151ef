import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chunkCount } from "../../src/file-system/contents.ts";
import { FileError } from "../../src/file-system/file-error.ts";
import type { FileStatus, FileSystem } from "../../src/file-system/file-system.ts";
import { Inodes } from "../../src/file-system/inodes.ts";
import { PathWalk } from "../../src/file-system/path-walk.ts";
import type { Sql } from "../../src/file-system/sql.ts";
import { NAME_BYTES } from "../../src/file-system/volume.ts";
import { type Credentials, ROOT } from "../../src/users.ts";
import { openFiles } from "../file-system/open-files.ts";
import { codeOf, digest, type FileOperation, fileOperations, typeOf } from "./file-operations.ts";

const RUNS = 500;
const MAX_OPERATIONS = 30;

const SELF: Credentials = {
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
  umask: process.umask(),
};

const PARENT = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "file-tree-")));

/** The compared directory, at the same path of both file systems. */
const TOP = join(PARENT, "top");

/** The parent of all paths, nested for paths with `..`. */
const TREE = join(TOP, "2", "3");

type Outcome = { result: unknown } | { errorCode: string };

interface FileFacts {
  path: string;
  type: string;
  mode: number;
  links: number;
  content: string;
}

/** Some file systems do not count a directory's subdirectories. */
let countsSubdirectories: boolean;

beforeAll(() => {
  fs.mkdirSync(join(PARENT, "probe"));
  countsSubdirectories = fs.statSync(join(PARENT, "probe")).nlink === 2;
});

afterAll(() => fs.rmSync(PARENT, { recursive: true, force: true }));

describe("FileSystem", () => {
  it(
    "has the same results and files as a real file system",
    async () => {
      const operations = fc.array(fileOperations(TREE, SELF), { maxLength: MAX_OPERATIONS, size: "max" });
      await fc.assert(
        fc.asyncProperty(operations, (operations) => runOnBoth(operations)),
        { numRuns: RUNS },
      );
    },
    10 * 60_000,
  );

  it("throws only FileErrors for arbitrary paths", async () => {
    const { files, close } = openFiles();
    const path = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary" }).map((text) => `/${text}`),
      fc
        .array(fc.constantFrom("/", ".", "..", "\0", "tmp", "\ud800", "x".repeat(1500)))
        .map((parts) => parts.join("/")),
    );
    await fc.assert(
      fc.asyncProperty(path, path, async (path, other) => {
        for (const attempt of everyOperation(files, path, other)) {
          try {
            await attempt();
          } catch (error) {
            expect(error).toBeInstanceOf(FileError);
          }
        }
      }),
      { numRuns: 500 },
    );
    close();
  });
});

async function runOnBoth(operations: FileOperation[]): Promise<void> {
  const { files, sql, close } = openFiles();
  fs.rmSync(TOP, { recursive: true, force: true });
  fs.mkdirSync(TREE, { recursive: true });
  files.makeDirectory(TREE, { ...ROOT, umask: SELF.umask }, { parents: true });
  files.changeOwner(TREE, ROOT, SELF);
  const log: string[] = [];
  try {
    for (const { text, paths, inMachine, onDisk } of operations) {
      if (!paths.every((path) => staysInTree(sql, path))) continue;
      const onDiskOutcome = await outcomeOf(onDisk);
      const inMachineOutcome = await outcomeOf(() => inMachine(files));
      log.push(`${text}: ${JSON.stringify(onDiskOutcome)}`);
      expect(inMachineOutcome, log.join("\n")).toEqual(onDiskOutcome);
    }
    expect(treeInMachine(files, TOP), log.join("\n")).toEqual(treeOnDisk(TOP));
    await expectConsistentUsage(files, sql);
  } finally {
    close();
  }
}

async function outcomeOf(work: () => unknown): Promise<Outcome> {
  try {
    return { result: await work() };
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return { errorCode: code };
  }
}

/** Checks that a path does not lead outside of the tree, where the disk has other files. */
function staysInTree(sql: Sql, path: string): boolean {
  const inodes = new Inodes(sql, Date.now);
  return [true, false].every((followLast) => {
    try {
      return `${new PathWalk(inodes, path, { followLast }).run(ROOT).path}/`.startsWith(`${TREE}/`);
    } catch {
      return true;
    }
  });
}

function treeInMachine(files: FileSystem, path: string): FileFacts[] {
  const { type, mode, links } = files.status(path, ROOT, { followSymlink: false });
  const facts = { path, type, mode, links: comparedLinks(type, links) };
  if (type === "file") return [{ ...facts, content: digest(files.readAll(path, ROOT)) }];
  if (type === "symlink") return [{ ...facts, content: files.readSymlink(path, ROOT) }];
  const below = files.list(path, ROOT).flatMap(({ name }) => treeInMachine(files, `${path}/${name}`));
  return [{ ...facts, content: "" }, ...below];
}

function treeOnDisk(path: string): FileFacts[] {
  const stats = fs.lstatSync(path);
  const type = typeOf(stats);
  const facts = { path, type, mode: stats.mode & 0o7777, links: comparedLinks(type, stats.nlink) };
  if (type === "file") return [{ ...facts, content: digest(fs.readFileSync(path)) }];
  if (type === "symlink") return [{ ...facts, content: fs.readlinkSync(path) }];
  const names = fs.readdirSync(path).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return [{ ...facts, content: "" }, ...names.flatMap((name) => treeOnDisk(`${path}/${name}`))];
}

function comparedLinks(type: string, links: number): number {
  return type === "directory" && !countsSubdirectories ? 0 : links;
}

/** Checks that usage equals the sum of all rows and that removed files have no rows. */
async function expectConsistentUsage(files: FileSystem, sql: Sql): Promise<void> {
  await files.reclaimed();
  const all = everyFile(files, "/");
  const inodes = new Map(all.map((status) => [status.inode, status]));
  const content = [...inodes.values()].filter(({ type }) => type !== "directory");
  const bytes = content.reduce((sum, { size }) => sum + size, 0);
  // The root directory has no name.
  expect(files.usage()).toMatchObject({
    usedBytes: bytes + NAME_BYTES * (all.length - 1),
    files: inodes.size,
  });
  expect(count(sql, "inode")).toBe(inodes.size);
  expect(count(sql, "directory_entry")).toBe(all.length - 1);
  const filesWithContent = content.filter(({ type, size }) => type === "file" && size > 0);
  const chunks = filesWithContent.reduce((sum, { size }) => sum + chunkCount(size), 0);
  // Holes have no rows.
  expect(count(sql, "content_chunk")).toBeLessThanOrEqual(chunks);
}

function everyFile(files: FileSystem, path: string): FileStatus[] {
  const status = files.status(path, ROOT, { followSymlink: false });
  if (status.type !== "directory") return [status];
  const below = files.list(path, ROOT).flatMap(({ name }) => everyFile(files, `${path}/${name}`));
  return [status, ...below];
}

function count(sql: Sql, table: string): number {
  return Number(sql.exec<{ rows: number }>(`SELECT COUNT(*) AS rows FROM ${table}`).toArray()[0]?.rows);
}

function everyOperation(files: FileSystem, path: string, other: string): (() => unknown)[] {
  const bytes = new Uint8Array(3);
  return [
    () => files.status(path, SELF),
    () => files.list(path, SELF),
    () => files.readAll(path, SELF),
    () => files.resolve(path, SELF),
    () => files.makeDirectory(path, SELF, { parents: true }),
    () => files.writeAll(path, bytes, SELF),
    () => files.write(path, new Blob([bytes]).stream(), SELF, { parents: true }),
    () => files.writeRange(path, bytes, SELF, 7),
    () => files.truncate(path, SELF, 2),
    () => files.symlink(other, path, SELF),
    () => files.readSymlink(path, SELF),
    () => files.link(path, other, SELF),
    () => files.copyFile(path, other, SELF),
    () => files.rename(path, other, SELF),
    () => files.changeMode(path, SELF, 0o700),
    () => files.exists(path, SELF),
    () => files.unlink(path, SELF),
    () => files.removeDirectory(path, SELF),
    () => files.removeTree(other, SELF),
  ];
}
