import type { ReportError } from "../report-error.ts";
import type { TimeSlice } from "../time-slice.ts";
import { type Credentials, MAX_ID } from "../users.ts";
import { FileError } from "./file-error.ts";
import type { DirectoryEntry, FileChange, FileStatus, FileSystem, WriteOptions } from "./file-system.ts";
import { type MachineIdentity, makeFirstFiles } from "./first-files.ts";
import { IncomingContent } from "./incoming-content.ts";
import type { Inode } from "./inodes.ts";
import { NameOperations } from "./name-operations.ts";
import { streamContent } from "./outgoing-content.ts";
import { parentPath } from "./path.ts";
import { PathWalk } from "./path-walk.ts";
import {
  mayChangeOwner,
  modeAfterWrite,
  modeWithinGroup,
  modeWithoutPrivileges,
  owns,
  permits,
  READ,
  WRITE,
} from "./permissions.ts";
import { Reclaimer } from "./reclaimer.ts";
import { Refusal } from "./refusal.ts";
import type { RunTransaction, Sql } from "./sql.ts";
import { piecesOf } from "./stream-pieces.ts";
import { removeTree } from "./tree-removal.ts";
import { Volume } from "./volume.ts";

const FILE_MODE = 0o666;
const DIRECTORY_MODE = 0o777;
const ALL_MODE_BITS = 0o7777;

/** More than this cannot be had in one piece. */
const MAX_PIECE_BYTES = 2 ** 31 - 1;

/** The times that ext4 can keep: from December 1901 to May 2446. */
const FIRST_TIME = -(2 ** 31) * 1000;
const LAST_TIME = (2 ** 34 - 2 ** 31 - 1) * 1000;

interface OpenedFile {
  inode: Inode;
  path: string;
}

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
    this.#reclaimer = new Reclaimer(this.#volume, slice, onError);
    this.#slice = slice;
  }

  /**
   * Makes the tables and the first directories, where that has not been done, and begins to remove what a crash has
   * left behind. To be called before any other operation.
   */
  create(): void {
    this.#volume.format(() => makeFirstFiles(this, this.#identity));
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

  readAll(path: string, credentials: Credentials, limit = MAX_PIECE_BYTES): Uint8Array {
    return ask("open", path, () => {
      const { content, size } = this.#openToRead(path, credentials);
      if (size > limit) throw new Refusal("EFBIG");
      return this.#volume.contents.read(content, 0, size);
    });
  }

  readRange(path: string, credentials: Credentials, offset: number, length: number): Uint8Array {
    return ask("read", path, () => {
      requireLength(offset);
      requireLength(length);
      const { content, size } = this.#openToRead(path, credentials);
      return this.#volume.contents.read(content, offset, Math.max(0, Math.min(length, size - offset)));
    });
  }

  /** The stream is to be read to its end or cancelled: until then what it reads keeps its room. */
  read(path: string, credentials: Credentials): { size: number; body: ReadableStream<Uint8Array> } {
    return ask("open", path, () => {
      const file = this.#openToRead(path, credentials);
      return { size: file.size, body: streamContent(this.#volume, file, this.#slice) };
    });
  }

  writeAll(
    path: string,
    bytes: Uint8Array,
    credentials: Credentials,
    { mode, append = false }: WriteOptions = {},
  ): void {
    this.#change("open", path, () => {
      const file = this.#openToWrite(path, credentials, { mode });
      if (append) return this.#writeAt(file, file.inode.size, bytes, credentials);
      this.#volume.replace(file.inode, bytes, modeAfterWrite(file.inode.mode, credentials));
      if (bytes.byteLength + file.inode.size > 0) this.#volume.tell("write", file.path, false);
    });
  }

  writeRange(path: string, bytes: Uint8Array, credentials: Credentials, offset: number): void {
    this.#change("write", path, () => {
      requireLength(offset);
      this.#writeAt(this.#openToChange(path, credentials), offset, bytes, credentials);
    });
  }

  truncate(path: string, credentials: Credentials, length: number): void {
    this.#change("truncate", path, () => {
      requireLength(length);
      const file = this.#openToChange(path, credentials);
      this.#volume.resize(file.inode, length, modeAfterWrite(file.inode.mode, credentials));
      this.#volume.tell("write", file.path, false);
    });
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
        this.#volume.rehearse(() => void this.#openToWrite(path, credentials, options)),
      );
      await askLater("write", path, async () => {
        for await (const bytes of piecesOf(body)) await content.add(bytes);
      });
      this.#change("open", path, () => {
        const { inode, path: resolved } = this.#openToWrite(path, credentials, options);
        content.putInto(inode, modeAfterWrite(inode.mode, credentials));
        if (content.size + inode.size > 0) this.#volume.tell("write", resolved, false);
      });
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
    this.#change("chmod", path, () => {
      const { inode, gid } = this.#findOwn(path, credentials);
      const allowed = modeWithinGroup({ mode: mode & ALL_MODE_BITS, gid }, credentials);
      this.#volume.inodes.update(inode, { mode: allowed, changed_at: this.#volume.now });
    });
  }

  changeOwner(
    path: string,
    credentials: Credentials,
    owner: { uid?: number; gid?: number },
    { followSymlink = true }: { followSymlink?: boolean } = {},
  ): void {
    this.#change("chown", path, () => {
      if (![owner.uid, owner.gid].every(isId)) throw new Refusal("EINVAL");
      const { inode } = this.#paths.find(path, credentials, followSymlink);
      const { uid = inode.uid, gid = inode.gid } = owner;
      if (!mayChangeOwner(inode, { uid, gid }, credentials)) throw new Refusal("EPERM");
      const mode = inode.type === "file" ? modeWithoutPrivileges(inode.mode) : inode.mode;
      this.#volume.inodes.update(inode.inode, { mode, uid, gid, changed_at: this.#volume.now });
    });
  }

  setTimes(path: string, credentials: Credentials, times: { accessedAt: number; modifiedAt: number }): void {
    const { accessedAt, modifiedAt } = times;
    this.#change("utime", path, () => {
      if (!Number.isFinite(accessedAt) || !Number.isFinite(modifiedAt)) throw new Refusal("EINVAL");
      const { inode } = this.#findOwn(path, credentials);
      const kept = { accessed_at: toKeptTime(accessedAt), modified_at: toKeptTime(modifiedAt) };
      this.#volume.inodes.update(inode, { ...kept, changed_at: this.#volume.now });
    });
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

  /** @throws Refusal EPERM unless the file is one's own. */
  #findOwn(path: string, credentials: Credentials): Inode {
    const { inode } = this.#paths.find(path, credentials, true);
    if (!owns(inode, credentials)) throw new Refusal("EPERM");
    return inode;
  }

  #openToRead(path: string, credentials: Credentials): Inode {
    const { inode } = this.#paths.find(path, credentials, true);
    if (!permits(inode, credentials, READ)) throw new Refusal("EACCES");
    if (inode.type === "directory") throw new Refusal("EISDIR");
    return inode;
  }

  #openToChange(path: string, credentials: Credentials): OpenedFile {
    const opened = this.#paths.find(path, credentials, true);
    requireWritableFile(opened.inode, credentials);
    return opened;
  }

  /** Opens a file to be written, and makes it, and with `parents` what is above it, where it is missing. */
  #openToWrite(
    path: string,
    credentials: Credentials,
    { mode = FILE_MODE, parents = false }: { mode?: number; parents?: boolean },
  ): OpenedFile {
    if (parents) this.#names.makeDirectories(parentPath(path), credentials, DIRECTORY_MODE);
    const place = this.#paths.walk(path, credentials, { followLast: true, isMakingFile: true });
    if (place.inode !== undefined) requireWritableFile(place.inode, credentials);
    const inode = place.inode ?? this.#names.create(place, { type: "file", mode }, credentials);
    return { inode, path: place.path };
  }

  #writeAt({ inode, path }: OpenedFile, offset: number, bytes: Uint8Array, credentials: Credentials): void {
    // As write(2), to write nothing changes nothing, not even times.
    if (bytes.byteLength === 0) return;
    this.#volume.write(inode, offset, bytes, modeAfterWrite(inode.mode, credentials));
    this.#volume.tell("write", path, false);
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

/** @throws Refusal EACCES, EISDIR */
function requireWritableFile(inode: Inode, credentials: Credentials): void {
  if (inode.type === "directory") throw new Refusal("EISDIR");
  if (!permits(inode, credentials, WRITE)) throw new Refusal("EACCES");
}

/** @throws Refusal EINVAL unless it is a number of bytes. */
function requireLength(bytes: number): void {
  if (!Number.isSafeInteger(bytes) || bytes < 0) throw new Refusal("EINVAL");
}

function isId(id: number | undefined): boolean {
  return id === undefined || (Number.isSafeInteger(id) && id >= 0 && id <= MAX_ID);
}

/** A time that is too far away becomes the first or last that can be kept, as on Linux. */
function toKeptTime(at: number): number {
  return Math.min(Math.max(at, FIRST_TIME), LAST_TIME);
}
