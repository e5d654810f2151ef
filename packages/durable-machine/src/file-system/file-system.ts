import type { Credentials } from "../users.ts";

export type FileType = "file" | "directory" | "symlink";

/** What a file system knows of a file beside its content, as stat(2) tells it. */
export interface FileStatus {
  inode: number;
  type: FileType;
  /** Permission bits, set-uid, set-gid and sticky included: 0 to 0o7777. */
  mode: number;
  uid: number;
  gid: number;
  /** How many names it has. */
  links: number;
  /** Bytes of content; of a symlink: of its target; of a directory: 4096. */
  size: number;
  /** Milliseconds since the epoch. */
  accessedAt: number;
  modifiedAt: number;
  changedAt: number;
}

export interface DirectoryEntry extends FileStatus {
  name: string;
}

/** What happened to a file. Of a rename, `rename` names the old path, and a `create` the new one follows. */
export interface FileChange {
  type: "create" | "write" | "delete" | "rename";
  /** Absolute and without symlinks in its directories. */
  path: string;
  isDirectory: boolean;
}

export interface WriteOptions {
  /** Permission bits of a file that this makes, before the umask. Default: 0o666. */
  mode?: number;
  /** Keep what is there and write behind it. */
  append?: boolean;
}

/**
 * A POSIX file system. Each operation acts with somebody's credentials, resolves its path from the root and throws
 * a FileError with the errno that Linux gives. Operations are done when they return and leave nothing half done,
 * but for those that are asynchronous: they work in steps, between which other operations run.
 */
export interface FileSystem {
  /** Runs several operations, none of which may be caught failing: all of them are done, or where one fails, none. */
  atomically<T>(work: () => T): T;
  status(path: string, credentials: Credentials, options?: { followSymlink?: boolean }): FileStatus;
  exists(path: string, credentials: Credentials): boolean;
  /** Whether all of the rights in `wanted` are held: 4 read, 2 write, 1 execute or search. Of nothing, none are. */
  permits(path: string, credentials: Credentials, wanted: number): boolean;
  /** The entries of a directory, by the bytes of their names; without `.` and `..`. */
  list(path: string, credentials: Credentials): DirectoryEntry[];
  /** @param options.parents make what is missing above, and take a directory that is there for made. */
  makeDirectory(path: string, credentials: Credentials, options?: { mode?: number; parents?: boolean }): void;
  readSymlink(path: string, credentials: Credentials): string;
  /** The path without symlinks, `.` or `..`. */
  resolve(path: string, credentials: Credentials): string;

  /** @throws FileError EFBIG where the file has more than `limit` bytes. */
  readAll(path: string, credentials: Credentials, limit?: number): Uint8Array;
  /** The bytes from `offset` on, at most `length`; fewer only at the end. */
  readRange(path: string, credentials: Credentials, offset: number, length: number): Uint8Array;
  /** Reads piece by piece what the file held at the time of the call, also when it is replaced meanwhile. */
  read(path: string, credentials: Credentials): { size: number; body: ReadableStream<Uint8Array> };
  writeAll(path: string, bytes: Uint8Array, credentials: Credentials, options?: WriteOptions): void;
  /** Writes into an existing file at an offset; what lies between its end and there becomes zeros. */
  writeRange(path: string, bytes: Uint8Array, credentials: Credentials, offset: number): void;
  truncate(path: string, credentials: Credentials, length: number): void;
  /**
   * Writes what a stream gives. The file appears, or is replaced, at the end and whole: of a stream that breaks,
   * or that is over the quota, nothing stays.
   *
   * @returns the bytes written.
   */
  write(
    path: string,
    body: ReadableStream<Uint8Array>,
    credentials: Credentials,
    options?: { mode?: number; parents?: boolean },
  ): Promise<number>;
  /** Copies a file's content, in steps; the destination is replaced at the end and whole. */
  copyFile(source: string, destination: string, credentials: Credentials): Promise<void>;

  /** As rename(2): replaces a file, or an empty directory; takes the same time however much a directory holds. */
  rename(source: string, destination: string, credentials: Credentials): void;
  /** Removes a name: of a file or a symlink. */
  unlink(path: string, credentials: Credentials): void;
  removeDirectory(path: string, credentials: Credentials): void;
  /** Removes whatever is there and all below it, in steps. @throws FileError ENOENT where nothing is. */
  removeTree(path: string, credentials: Credentials): Promise<void>;
  link(existing: string, path: string, credentials: Credentials): void;
  symlink(target: string, path: string, credentials: Credentials): void;
  changeMode(path: string, credentials: Credentials, mode: number): void;
  /** @param owner what is undefined stays. */
  changeOwner(
    path: string,
    credentials: Credentials,
    owner: { uid?: number; gid?: number },
    options?: { followSymlink?: boolean },
  ): void;
  /** Sets times in milliseconds since the epoch. */
  setTimes(path: string, credentials: Credentials, times: { accessedAt: number; modifiedAt: number }): void;

  /** What is used of the quota and how much there is, in bytes, and the number of files. */
  usage(): { usedBytes: number; quotaBytes: number; files: number };
  /** Tells of each change, after it is done. @returns what ends it. */
  watch(listener: (change: FileChange) => void): () => void;
}
