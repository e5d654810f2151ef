import { createHash } from "node:crypto";
import * as fs from "node:fs";
import fc from "fast-check";
import { CHUNK_BYTES } from "../../src/file-system/contents.ts";
import type { FileSystem } from "../../src/file-system/file-system.ts";
import type { Credentials } from "../../src/users.ts";

/** An operation on the machine's file system and on the disk. Both return a result or throw. */
export interface FileOperation {
  text: string;
  paths: string[];
  inMachine: (files: FileSystem) => unknown;
  onDisk: () => unknown;
}

const MODES = [0o644, 0o600, 0o755, 0o777, 0o4755, 0o2755, 0o1777, 0];

/** Around the size of a page and of a chunk. */
const LENGTHS = [0, 1, 5, 4096, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 5000];

/** Names that collide often, and some at the limits of names. */
const name = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom("a", "b", "c") },
  { weight: 6, arbitrary: fc.constantFrom(".", "..", "") },
  { weight: 1, arbitrary: fc.constantFrom("ä", "日本", "n".repeat(255), "n".repeat(256), "é".repeat(128)) },
);

const relativePath = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "", "", "", "/"))
  .map(([names, end]) => names.join("/") + end);

const bytes = fc
  .tuple(fc.constantFrom(...LENGTHS), fc.nat(255))
  .map(([length, seed]) => bytesOf(length, seed));

export function fileOperations(root: string, self: Credentials): fc.Arbitrary<FileOperation> {
  const path = relativePath.map((below) => `${root}/${below}`);
  const target = fc.oneof(relativePath, path, fc.constantFrom("../a", "../../b/c", "."));
  const mode = fc.constantFrom(...MODES);
  const length = fc.constantFrom(...LENGTHS);
  const none = fc.constant(undefined);

  function on<T>(
    verb: string,
    argument: fc.Arbitrary<T>,
    inMachine: (files: FileSystem, path: string, argument: T) => unknown,
    onDisk: (path: string, argument: T) => unknown,
  ): fc.Arbitrary<FileOperation> {
    return fc.tuple(path, argument).map(([path, argument]) => {
      const text = `${verb} ${path} ${describe(argument)}`;
      return {
        text,
        paths: typeof argument === "string" && argument.startsWith(root) ? [path, argument] : [path],
        inMachine: (files) => inMachine(files, path, argument),
        onDisk: () => onDisk(path, argument),
        [fc.toStringMethod]: () => text,
      };
    });
  }

  return fc.oneof(
    { weight: 3, arbitrary: nameOperations() },
    { weight: 2, arbitrary: contentOperations() },
    { weight: 1, arbitrary: queries() },
  );

  function nameOperations() {
    return fc.oneof(
      {
        weight: 3,
        arbitrary: on(
          "mkdir",
          mode,
          (files, path, mode) => files.makeDirectory(path, self, { mode }),
          (path, mode) => fs.mkdirSync(path, { mode }),
        ),
      },
      on(
        "mkdir -p",
        none,
        (files, path) => normalizeNotDirectory(() => files.makeDirectory(path, self, { parents: true })),
        (path) => normalizeNotDirectory(() => makeDirectoriesOnDisk(path)),
      ),
      {
        weight: 3,
        arbitrary: on(
          "rename",
          path,
          (files, path, destination) => files.rename(path, destination, self),
          (path, destination) => fs.renameSync(path, destination),
        ),
      },
      on(
        "unlink",
        none,
        (files, path) => files.unlink(path, self),
        (path) => fs.unlinkSync(path),
      ),
      on(
        "rmdir",
        none,
        (files, path) => files.removeDirectory(path, self),
        (path) => fs.rmdirSync(path),
      ),
      on(
        "rm -r",
        none,
        (files, path) => files.removeTree(path, self),
        (path) => removeTreeOnDisk(path),
      ),
      on(
        "link",
        path,
        (files, path, added) => files.link(path, added, self),
        (path, added) => fs.linkSync(path, added),
      ),
      {
        weight: 2,
        arbitrary: on(
          "symlink",
          target,
          (files, path, target) => files.symlink(target, path, self),
          (path, target) => fs.symlinkSync(target, path),
        ),
      },
      on(
        "chmod",
        mode,
        (files, path, mode) => files.changeMode(path, self, mode),
        (path, mode) => fs.chmodSync(path, mode),
      ),
    );
  }

  function contentOperations() {
    return fc.oneof(
      {
        weight: 2,
        arbitrary: on(
          "write",
          bytes,
          (files, path, bytes) => files.writeAll(path, bytes, self, { mode: 0o755 }),
          (path, bytes) => fs.writeFileSync(path, bytes, { mode: 0o755 }),
        ),
      },
      on(
        "write stream",
        bytes,
        (files, path, bytes) => files.write(path, new Blob([bytes]).stream(), self).then(() => undefined),
        (path, bytes) => fs.writeFileSync(path, bytes),
      ),
      on(
        "append",
        bytes,
        (files, path, bytes) => files.writeAll(path, bytes, self, { append: true }),
        (path, bytes) => fs.appendFileSync(path, bytes),
      ),
      on(
        "write at",
        fc.tuple(length, bytes),
        (files, path, [offset, bytes]) => files.writeRange(path, bytes, self, offset),
        (path, [offset, bytes]) => writeAtOnDisk(path, offset, bytes),
      ),
      on(
        "truncate",
        length,
        (files, path, length) => files.truncate(path, self, length),
        (path, length) => fs.truncateSync(path, length),
      ),
      on(
        "copy to",
        path,
        (files, path, destination) => files.copyFile(path, destination, self),
        (path, destination) => {
          const mode = fs.statSync(path).mode & 0o777;
          fs.writeFileSync(destination, fs.readFileSync(path), { mode });
        },
      ),
      on(
        "utimes",
        fc.nat(2_000_000_000),
        (files, path, seconds) => {
          files.setTimes(path, self, { accessedAt: 0, modifiedAt: seconds * 1000 });
          return files.status(path, self).modifiedAt;
        },
        (path, seconds) => {
          fs.utimesSync(path, 0, seconds);
          return fs.statSync(path).mtimeMs;
        },
      ),
    );
  }

  function queries() {
    return fc.oneof(
      on(
        "stat",
        none,
        (files, path) => files.status(path, self).type,
        (path) => typeOf(fs.statSync(path)),
      ),
      on(
        "lstat",
        none,
        (files, path) => files.status(path, self, { followSymlink: false }).type,
        (path) => typeOf(fs.lstatSync(path)),
      ),
      on(
        "exists",
        none,
        (files, path) => files.exists(path, self),
        (path) => fs.existsSync(path),
      ),
      on(
        "read",
        none,
        (files, path) => digest(files.readAll(path, self)),
        (path) => digest(fs.readFileSync(path)),
      ),
      on(
        "read range of",
        fc.tuple(length, length),
        (files, path, [offset, length]) => digest(files.readRange(path, self, offset, length)),
        (path, [offset, length]) => digest(fs.readFileSync(path).subarray(offset, offset + length)),
      ),
      on(
        "read stream",
        none,
        async (files, path) => {
          const { body } = files.read(path, self);
          return digest(new Uint8Array(await new Response(body).arrayBuffer()));
        },
        (path) => digest(fs.readFileSync(path)),
      ),
      on(
        "list",
        none,
        (files, path) => files.list(path, self).map(({ name }) => name),
        (path) => fs.readdirSync(path).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      ),
      on(
        "readlink",
        none,
        (files, path) => files.readSymlink(path, self),
        (path) => fs.readlinkSync(path),
      ),
      on(
        "realpath",
        none,
        (files, path) => files.resolve(path, self),
        (path) => fs.realpathSync.native(path),
      ),
    );
  }
}

export function typeOf(stats: fs.Stats): string {
  return stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "symlink" : "file";
}

export function digest(bytes: Uint8Array): string {
  return createHash("md5").update(bytes).digest("hex");
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function bytesOf(length: number, seed: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + seed) & 255);
}

function describe(argument: unknown): string {
  if (argument === undefined) return "";
  if (argument instanceof Uint8Array) return `${argument.length} bytes`;
  return Array.isArray(argument) ? argument.map(describe).join(" ") : String(argument);
}

function writeAtOnDisk(path: string, offset: number, bytes: Uint8Array): void {
  const file = fs.openSync(path, "r+");
  try {
    fs.writeSync(file, bytes, 0, bytes.length, offset);
  } finally {
    fs.closeSync(file);
  }
}

/** Like `mkdir -p`, but removes what it created if it fails. */
function makeDirectoriesOnDisk(path: string): void {
  const created: string[] = [];
  const prefixes = [...path.matchAll(/[^/]+/g)].map(({ 0: name, index }) =>
    path.slice(0, index + name.length),
  );
  try {
    for (const prefix of prefixes) if (makeDirectoryOnDisk(prefix)) created.push(prefix);
  } catch (error) {
    for (const directory of created.reverse()) fs.rmdirSync(directory);
    throw error;
  }
}

function makeDirectoryOnDisk(path: string): boolean {
  try {
    fs.mkdirSync(path);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
    throw error;
  }
}

/** Turns ENOTDIR into EEXIST: `mkdir -p` is no system call, so that either is right for an existing file. */
function normalizeNotDirectory(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw codeOf(error) === "ENOTDIR" ? Object.assign(new Error(), { code: "EEXIST" }) : error;
  }
}

/** Like `rm -r`, but fails first where rmdir(2) would. */
function removeTreeOnDisk(path: string): void {
  const last = path.replace(/\/+$/, "").split("/").at(-1);
  const isDirectory = fs.lstatSync(path.replace(/\/+$/, "")).isDirectory();
  if (!isDirectory) {
    fs.unlinkSync(path);
    return;
  }
  if (last === "." || last === "..") {
    fs.rmdirSync(path);
    return;
  }
  for (const name of fs.readdirSync(path)) removeTreeOnDisk(`${path.replace(/\/+$/, "")}/${name}`);
  fs.rmdirSync(path);
}
