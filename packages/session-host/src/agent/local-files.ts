import { randomUUID } from "node:crypto";
import { createWriteStream, type Stats } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { FileChange, FileStatus, MachineFiles } from "durable-machine";
import { TreeWatcher } from "./tree-watcher.ts";

/** On the file system of the machine's files, so that a finished file can be renamed to its place. */
const UNFINISHED_FILES = "/var/spool/unfinished";

/** Those of ext4, from 1901 to 2446. Other file systems have times that are no dates. */
const MIN_TIME_MS = -(2 ** 31) * 1000;
const MAX_TIME_MS = (2 ** 34 - 2 ** 31 - 1) * 1000;

/** Files below a directory of this computer, with the rights of this process. */
export class LocalFiles implements MachineFiles {
  /** The machine's root directory without a slash at the end; empty for this computer's own. */
  readonly #root: string;
  readonly #watchers = new Set<TreeWatcher>();

  constructor(root: string) {
    this.#root = root;
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers.clear();
  }

  async status(path: string, { followSymlink = true }: { followSymlink?: boolean } = {}) {
    return toStatus(await (followSymlink ? fs.stat : fs.lstat)(this.#pathOf(path)));
  }

  async list(path: string) {
    const names = await fs.readdir(this.#pathOf(path));
    const sorted = names.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    const entries = await Promise.all(
      sorted.map(async (name) => {
        const status = await fs.lstat(join(this.#pathOf(path), name)).catch(ignoreMissing);
        return status && { name, ...toStatus(status) };
      }),
    );
    // Some may have been removed since.
    return entries.filter((entry) => entry !== undefined);
  }

  async resolve(path: string) {
    return (await fs.realpath(this.#pathOf(path))).slice(this.#root.length) || "/";
  }

  readSymlink(path: string) {
    return fs.readlink(this.#pathOf(path));
  }

  async read(path: string) {
    const { file, size } = await this.#open(path);
    return { size, body: Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array> };
  }

  async readRange(path: string, offset: number, length: number) {
    const { file, size } = await this.#open(path);
    try {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  async writeSmall(path: string, bytes: Uint8Array, options: { mode: number; modifiedAt: number }) {
    await this.write(path, new Blob([new Uint8Array(bytes)]).stream(), { parents: true });
    await this.changeMode(path, options.mode);
    await this.setTimes(path, { accessedAt: Date.now(), modifiedAt: options.modifiedAt });
  }

  async write(
    path: string,
    body: ReadableStream<Uint8Array>,
    { mode = 0o666, parents = false }: { mode?: number; parents?: boolean } = {},
  ) {
    try {
      if (parents) await this.makeDirectory(dirname(path), { mode: 0o755, parents });
      const existing = await this.#requireWritable(path);
      const unfinished = await this.#newUnfinished();
      try {
        await pipeline(Readable.from(body), createWriteStream(unfinished, { mode, flags: "wx" }));
        await this.#replace(unfinished, path, existing);
      } finally {
        await fs.rm(unfinished, { force: true });
      }
    } finally {
      if (!body.locked) void body.cancel().catch(() => undefined);
    }
  }

  async makeDirectory(
    path: string,
    { mode = 0o777, parents = false }: { mode?: number; parents?: boolean } = {},
  ) {
    if (!parents) return await fs.mkdir(this.#pathOf(path), { mode });
    const names = path.split("/").filter((name) => name !== "");
    for (const index of names.keys()) {
      const target = this.#pathOf(`/${names.slice(0, index + 1).join("/")}`);
      try {
        await fs.mkdir(target, { mode });
      } catch (error) {
        const existing = await fs.stat(target).catch(ignoreMissing);
        if (existing?.isDirectory()) continue;
        if (existing === undefined || index === names.length - 1) throw error;
        throw systemError("ENOTDIR", "not a directory", path);
      }
    }
  }

  async rename(source: string, destination: string, { replace = true }: { replace?: boolean } = {}) {
    if (replace) return await fs.rename(this.#pathOf(source), this.#pathOf(destination));
    await fs.link(this.#pathOf(source), this.#pathOf(destination));
    await fs.unlink(this.#pathOf(source));
  }

  async place(moves: readonly { source: string; destination: string }[]) {
    for (const { destination } of moves) {
      await fs.mkdir(dirname(this.#pathOf(destination)), { recursive: true, mode: 0o755 });
      await this.#requireWritable(destination);
    }
    for (const { source, destination } of moves) {
      const existing = await fs.stat(this.#pathOf(destination)).catch(ignoreMissing);
      await this.#replace(this.#pathOf(source), destination, existing);
      await fs.rm(this.#pathOf(source), { force: true });
    }
  }

  link(existing: string, path: string) {
    return fs.link(this.#pathOf(existing), this.#pathOf(path));
  }

  symlink(target: string, path: string) {
    return fs.symlink(target, this.#pathOf(path));
  }

  async unlink(path: string) {
    const { type } = await this.status(path, { followSymlink: false });
    if (type === "directory") throw systemError("EISDIR", "illegal operation on a directory", path);
    await fs.unlink(this.#pathOf(path));
  }

  async removeTree(path: string) {
    await fs.rm(this.#pathOf(path), { recursive: true });
  }

  changeMode(path: string, mode: number) {
    return fs.chmod(this.#pathOf(path), mode);
  }

  async changeOwner(path: string, { uid, gid }: { uid?: number; gid?: number }) {
    const existing = await fs.stat(this.#pathOf(path));
    const owner = { uid: uid ?? existing.uid, gid: gid ?? existing.gid };
    if (owner.uid === existing.uid && owner.gid === existing.gid) return;
    await fs.chown(this.#pathOf(path), owner.uid, owner.gid);
  }

  setTimes(path: string, { accessedAt, modifiedAt }: { accessedAt: number; modifiedAt: number }) {
    return fs.utimes(this.#pathOf(path), accessedAt / 1000, modifiedAt / 1000);
  }

  async usage() {
    const { blocks, bfree, bavail, bsize } = await fs.statfs(`${this.#root}/`);
    return { usedBytes: (blocks - bfree) * bsize, quotaBytes: (blocks - bfree + bavail) * bsize };
  }

  async watch(path: string, listener: (change: FileChange) => void) {
    const watcher = new TreeWatcher(this.#pathOf(path).replace(/(?<!\/)\/+$/, ""), (change) =>
      listener({ ...change, path: change.path.slice(this.#root.length) }),
    );
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
      watcher.close();
    };
  }

  async #open(path: string): Promise<{ file: fs.FileHandle; size: number }> {
    // Without O_NONBLOCK, opening a named pipe waits for its writer.
    const file = await fs.open(this.#pathOf(path), fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      const status = await file.stat();
      if (status.isDirectory()) throw systemError("EISDIR", "illegal operation on a directory", path);
      if (!status.isFile()) throw systemError("EINVAL", "not a regular file", path);
      return { file, size: status.size };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** @returns the file that a write would replace. */
  async #requireWritable(path: string): Promise<Stats | undefined> {
    if (path.endsWith("/")) throw systemError("EISDIR", "illegal operation on a directory", path);
    const existing = await fs.stat(this.#pathOf(path)).catch(ignoreMissing);
    if (existing?.isDirectory()) throw systemError("EISDIR", "illegal operation on a directory", path);
    if (existing !== undefined && !existing.isFile()) throw systemError("EINVAL", "not a regular file", path);
    if (existing === undefined) await fs.stat(dirname(this.#pathOf(path)));
    return existing;
  }

  async #newUnfinished(): Promise<string> {
    const folder = this.#pathOf(UNFINISHED_FILES);
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    return join(folder, randomUUID());
  }

  /** Puts a finished file in its place. @param existing the file that it replaces. */
  async #replace(finished: string, path: string, existing: Stats | undefined): Promise<void> {
    const target = await this.#targetOf(path);
    // Its other names must show the new content, too.
    if (existing !== undefined && existing.nlink > 1) return await fs.copyFile(finished, target);
    if (existing !== undefined) {
      const { uid, gid, mode } = existing;
      const status = await fs.stat(finished);
      if (status.uid !== uid || status.gid !== gid) await fs.chown(finished, uid, gid);
      await fs.chmod(finished, mode & 0o7777);
    }
    await fs.rename(finished, target);
    for (const watcher of this.#watchers) watcher.reportWrite(target);
  }

  /** Follows a symlink, also one to a file that does not exist yet. */
  async #targetOf(path: string): Promise<string> {
    const real = await fs.realpath(this.#pathOf(path)).catch(ignoreMissing);
    if (real !== undefined) return real;
    const link = await fs.readlink(this.#pathOf(path)).catch(() => undefined);
    if (link === undefined) return this.#pathOf(path);
    return link.startsWith("/") ? this.#pathOf(link) : join(dirname(this.#pathOf(path)), link);
  }

  #pathOf(path: string): string {
    if (path.includes("\0")) throw systemError("EINVAL", "invalid argument", path);
    // `join` would resolve `..`, which is another directory after a symlink.
    return this.#root + path;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}

function toStatus(status: Stats): FileStatus {
  return {
    inode: status.ino,
    type: status.isDirectory() ? "directory" : status.isSymbolicLink() ? "symlink" : "file",
    mode: status.mode & 0o7777,
    uid: status.uid,
    gid: status.gid,
    links: status.nlink,
    size: status.size,
    accessedAt: toTime(status.atimeMs),
    modifiedAt: toTime(status.mtimeMs),
    changedAt: toTime(status.ctimeMs),
  };
}

function toTime(milliseconds: number): number {
  return Math.max(MIN_TIME_MS, Math.min(MAX_TIME_MS, Math.floor(milliseconds)));
}

function systemError(code: string, message: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${message}, '${path}'`), { code });
}
