import type { ReportError } from "../report-error.ts";
import type { TimeSlice } from "../time-slice.ts";
import type { Credentials } from "../users.ts";
import { AttributeOperations } from "./attribute-operations.ts";
import { ContentOperations } from "./content-operations.ts";
import { FileError } from "./file-error.ts";
import type { DirectoryEntry, FileChange, FileStatus, FileSystem, WriteOptions } from "./file-system.ts";
import { type MachineIdentity, makeFirstFiles } from "./first-files.ts";
import { IncomingContent } from "./incoming-content.ts";
import type { Inode } from "./inodes.ts";
import { NameOperations } from "./name-operations.ts";
import { PathWalk } from "./path-walk.ts";
import { permits, READ } from "./permissions.ts";
import { Reclaimer } from "./reclaimer.ts";
import { Refusal } from "./refusal.ts";
import type { RunTransaction, Sql } from "./sql.ts";
import { piecesOf } from "./stream-pieces.ts";
import { removeTree } from "./tree-removal.ts";
import { Volume } from "./volume.ts";

export interface SqlFileSystemOptions {
  sql: Sql;
  transaction: RunTransaction;
  /** What files and their names may take. */
  quotaBytes: number;
  slice: TimeSlice;
  /** The clock, in milliseconds since the epoch. */
  now?: () => number;
  /** The machine's name and users, for the files that a new file system has. */
  identity: MachineIdentity;
  onError: ReportError;
}

/**
 * A file system in the SQLite of a Durable Object. Nothing is written before `create`. Reading does not set the time
 * of access, as of a disk mounted with `noatime`.
 */
export class SqlFileSystem implements FileSystem {
  readonly #volume: Volume;
  readonly #paths: PathWalk;
  readonly #names: NameOperations;
  readonly #contents: ContentOperations;
  readonly #attributes: AttributeOperations;
  readonly #reclaimer: Reclaimer;
  readonly #slice: TimeSlice;
  readonly #identity: MachineIdentity;
  readonly #onError: ReportError;
  readonly #listeners = new Set<(change: FileChange) => void>();

  constructor(options: SqlFileSystemOptions) {
    const { sql, transaction, quotaBytes, slice, now = Date.now, identity, onError } = options;
    this.#identity = identity;
    this.#onError = onError;
    this.#volume = new Volume({
      sql,
      transaction,
      quotaBytes,
      now,
      onChanges: (changes) => this.#tell(changes),
      onOrphans: () => this.#reclaimer.start(),
    });
    this.#paths = new PathWalk(this.#volume.inodes);
    this.#names = new NameOperations(this.#volume, this.#paths);
    this.#contents = new ContentOperations(this.#volume, this.#paths, this.#names, slice);
    this.#attributes = new AttributeOperations(this.#volume, this.#paths);
    this.#reclaimer = new Reclaimer(this.#volume, slice, onError);
    this.#slice = slice;
  }

  /**
   * Makes the tables and the first directories, where that has not been done, and begins to remove what a crash has
   * left behind. To be called before any other operation.
   */
  create(): void {
    const operations = { names: this.#names, contents: this.#contents, attributes: this.#attributes };
    this.#volume.format(() => makeFirstFiles(operations, this.#identity));
    this.#reclaimer.start();
  }

  /** Refuses all further changes with EIO, as the storage is about to go. */
  close(): void {
    this.#volume.close();
    this.#listeners.clear();
  }

  /** Resolves when the room of what was removed is free again. */
  reclaimed(): Promise<void> {
    return this.#reclaimer.finish();
  }

  status(
    path: string,
    credentials: Credentials,
    { followSymlink = true }: { followSymlink?: boolean } = {},
  ): FileStatus {
    return ask(followSymlink ? "stat" : "lstat", path, () =>
      toStatus(this.#paths.find(path, credentials, followSymlink).inode),
    );
  }

  exists(path: string, credentials: Credentials): boolean {
    return isReached(() => this.#paths.find(path, credentials, true));
  }

  permits(path: string, credentials: Credentials, wanted: number): boolean {
    return isReached(() => {
      const { inode } = this.#paths.find(path, credentials, true);
      if (!permits(inode, credentials, wanted)) throw new Refusal("EACCES");
    });
  }

  list(path: string, credentials: Credentials): DirectoryEntry[] {
    return ask("scandir", path, () => {
      const { inode } = this.#paths.find(path, credentials, true);
      if (inode.type !== "directory") throw new Refusal("ENOTDIR");
      if (!permits(inode, credentials, READ)) throw new Refusal("EACCES");
      return this.#volume.inodes.entries(inode.inode);
    });
  }

  makeDirectory(
    path: string,
    credentials: Credentials,
    { mode = 0o777, parents = false }: { mode?: number; parents?: boolean } = {},
  ): void {
    this.#change("mkdir", path, () => {
      if (parents) this.#names.makeDirectories(path, credentials, mode);
      else this.#names.makeDirectory(path, credentials, mode);
    });
  }

  readSymlink(path: string, credentials: Credentials): string {
    return ask("readlink", path, () => {
      const { inode } = this.#paths.find(path, credentials, false);
      if (inode.type !== "symlink") throw new Refusal("EINVAL");
      return inode.target;
    });
  }

  resolve(path: string, credentials: Credentials): string {
    return ask("realpath", path, () => this.#paths.find(path, credentials, true).path);
  }

  readAll(path: string, credentials: Credentials, limit?: number): Uint8Array {
    return ask("open", path, () => this.#contents.readAll(path, credentials, limit));
  }

  readRange(path: string, credentials: Credentials, offset: number, length: number): Uint8Array {
    return ask("read", path, () => this.#contents.readRange(path, credentials, offset, length));
  }

  /** The stream is to be read to its end or cancelled: until then what it reads keeps its room. */
  read(path: string, credentials: Credentials): { size: number; body: ReadableStream<Uint8Array> } {
    return ask("open", path, () => this.#contents.read(path, credentials));
  }

  writeAll(path: string, bytes: Uint8Array, credentials: Credentials, options: WriteOptions = {}): void {
    this.#change("open", path, () => this.#contents.writeAll(path, bytes, credentials, options));
  }

  writeRange(path: string, bytes: Uint8Array, credentials: Credentials, offset: number): void {
    this.#change("write", path, () => this.#contents.writeRange(path, bytes, credentials, offset));
  }

  truncate(path: string, credentials: Credentials, length: number): void {
    this.#change("truncate", path, () => this.#contents.truncate(path, credentials, length));
  }

  /** The stream is cancelled where the file cannot be written. */
  async write(
    path: string,
    body: ReadableStream<Uint8Array>,
    credentials: Credentials,
    options: { mode?: number; parents?: boolean } = {},
  ): Promise<number> {
    const content = new IncomingContent(this.#volume, this.#slice);
    try {
      ask("open", path, () =>
        this.#volume.rehearse(() => void this.#contents.openToWrite(path, credentials, options)),
      );
      await askLater("write", path, async () => {
        for await (const bytes of piecesOf(body)) await content.add(bytes);
      });
      this.#change("open", path, () => this.#contents.replace(path, content, credentials, options));
      return content.size;
    } catch (error) {
      // Whoever gives the stream waits for nothing of it.
      if (!body.locked) void body.cancel(error).catch(() => undefined);
      throw error;
    } finally {
      content.letGo();
      await this.#reclaimer.finish();
    }
  }

  async copyFile(source: string, destination: string, credentials: Credentials): Promise<void> {
    const { mode } = this.status(source, credentials);
    const { body } = this.read(source, credentials);
    await this.write(destination, body, credentials, { mode: mode & 0o777 });
  }

  rename(source: string, destination: string, credentials: Credentials): void {
    this.#change("rename", source, () => this.#names.rename(source, destination, credentials));
  }

  unlink(path: string, credentials: Credentials): void {
    this.#change("unlink", path, () => this.#names.unlink(path, credentials));
  }

  removeDirectory(path: string, credentials: Credentials): void {
    this.#change("rmdir", path, () => this.#names.removeDirectory(path, credentials));
  }

  async removeTree(path: string, credentials: Credentials): Promise<void> {
    const parts = { volume: this.#volume, names: this.#names, slice: this.#slice };
    await askLater("rm", path, () => removeTree(parts, path, credentials));
    await this.#reclaimer.finish();
  }

  link(existing: string, path: string, credentials: Credentials): void {
    this.#change("link", existing, () => this.#names.link(existing, path, credentials));
  }

  symlink(target: string, path: string, credentials: Credentials): void {
    this.#change("symlink", path, () => this.#names.symlink(target, path, credentials));
  }

  changeMode(path: string, credentials: Credentials, mode: number): void {
    this.#change("chmod", path, () => this.#attributes.changeMode(path, credentials, mode));
  }

  changeOwner(
    path: string,
    credentials: Credentials,
    owner: { uid?: number; gid?: number },
    { followSymlink = true }: { followSymlink?: boolean } = {},
  ): void {
    this.#change("chown", path, () => this.#attributes.changeOwner(path, credentials, owner, followSymlink));
  }

  setTimes(path: string, credentials: Credentials, times: { accessedAt: number; modifiedAt: number }): void {
    this.#change("utime", path, () => this.#attributes.setTimes(path, credentials, times));
  }

  usage(): { usedBytes: number; quotaBytes: number; files: number } {
    return ask("statfs", "/", () => this.#volume.usage());
  }

  watch(listener: (change: FileChange) => void): () => void {
    // Its own, so that the same listener may watch twice.
    const own = (change: FileChange) => listener(change);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  atomically<T>(work: () => T): T {
    return this.#volume.transact(work);
  }

  #change<T>(operation: string, path: string, work: () => T): T {
    return ask(operation, path, () => this.#volume.transact(work));
  }

  #tell(changes: FileChange[]): void {
    for (const listener of this.#listeners) {
      for (const change of changes) {
        try {
          listener(change);
        } catch (error) {
          this.#onError("file_listener_failed", error);
        }
      }
    }
  }
}

/** Runs what may be refused. @throws FileError */
function ask<T>(operation: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toFileError(error, operation, path);
  }
}

/** Likewise, of what takes its time. */
async function askLater<T>(operation: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFileError(error, operation, path);
  }
}

function toFileError(error: unknown, operation: string, path: string): unknown {
  return error instanceof Refusal ? new FileError(error.code, operation, path) : error;
}

function isReached(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function toStatus(found: Inode): FileStatus {
  const { inode, type, mode, uid, gid, links, size, accessedAt, modifiedAt, changedAt } = found;
  return { inode, type, mode, uid, gid, links, size, accessedAt, modifiedAt, changedAt };
}
