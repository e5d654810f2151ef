import type { TimeSlice } from "../time-slice.ts";
import type { Credentials } from "../users.ts";
import { IncomingContent, streamContent } from "./content-streams.ts";
import { Refusal, runOperation, toFileError } from "./file-error.ts";
import { checkInteger, FileTree } from "./file-tree.ts";
import { type MachineIdentity, makeFirstFiles } from "./first-files.ts";
import type { Inode } from "./inodes.ts";
import { parentPath } from "./path.ts";
import { checkPermission, modeAfterWrite, READ, WRITE } from "./permissions.ts";
import { Reclaimer, type ReportError } from "./reclaimer.ts";
import { type FileChange, Volume, type VolumeOptions } from "./volume.ts";

export type { DirectoryEntry, FileStatus, FileType } from "./inodes.ts";
export type { FileChange } from "./volume.ts";

const FILE_MODE = 0o666;
const MAX_READ_BYTES = 2 ** 31 - 1;

type OpenedFile = { inode: Inode; path: string };

export interface FileSystemOptions extends Pick<VolumeOptions, "sql" | "transaction" | "quotaBytes"> {
  slice: TimeSlice;
  now?: () => number;
  identity: MachineIdentity;
  onError: ReportError;
}

/**
 * A POSIX file system in the SQLite of a Durable Object. A failed operation throws a FileError with the errno
 * of Linux and changes nothing. As with `noatime`, reading does not set the time of access.
 */
export class FileSystem extends FileTree {
  protected readonly volume: Volume;
  protected readonly reclaimer: Reclaimer;
  readonly #options: FileSystemOptions;
  readonly #listeners = new Set<{ onChange: (change: FileChange) => void }>();

  constructor(options: FileSystemOptions) {
    super();
    const { slice, now = Date.now, onError } = options;
    this.volume = new Volume({
      ...options,
      now,
      onChanges: (changes) => this.#tell(changes),
      onOrphans: () => this.reclaimer.start(),
    });
    this.reclaimer = new Reclaimer(this.volume, slice, onError);
    this.#options = options;
  }

  /** Must be called first. */
  create(): void {
    this.volume.format(() => makeFirstFiles(this, this.#options.identity));
    this.reclaimer.start();
  }

  /** All further operations on files fail with EIO. */
  close(): void {
    this.volume.isClosed = true;
    this.#listeners.clear();
  }

  /** Resolves when the space of removed files is free again. */
  reclaimed(): Promise<void> {
    return this.reclaimer.finish();
  }

  /** Does all operations or, if one throws, none. Errors must not be caught inside. */
  atomically<T>(work: () => T): T {
    return this.volume.transact(work);
  }

  usage(): { usedBytes: number; quotaBytes: number; files: number } {
    return runOperation("statfs", "/", () => this.volume.usage());
  }

  /** @returns a function that ends it. */
  watch(onChange: (change: FileChange) => void): () => void {
    const listener = { onChange };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @throws FileError EFBIG if the file has more than `limit` bytes. */
  readAll(path: string, credentials: Credentials, limit = MAX_READ_BYTES): Uint8Array {
    return runOperation("open", path, () => {
      const { content, size } = this.#openToRead(path, credentials);
      if (size > limit) throw new Refusal("EFBIG");
      return this.volume.contents.read(content, 0, size);
    });
  }

  /** At most `length` bytes from `offset` on; fewer only at the end. */
  readRange(path: string, credentials: Credentials, offset: number, length: number): Uint8Array {
    return runOperation("read", path, () => {
      checkInteger(offset);
      checkInteger(length);
      const { content, size } = this.#openToRead(path, credentials);
      return this.volume.contents.read(content, offset, Math.max(0, Math.min(length, size - offset)));
    });
  }

  /** The stream must be read to its end or cancelled. */
  read(path: string, credentials: Credentials): { size: number; body: ReadableStream<Uint8Array> } {
    return runOperation("open", path, () => {
      const file = this.#openToRead(path, credentials);
      return { size: file.size, body: streamContent(this.volume, file, this.#options.slice) };
    });
  }

  writeAll(
    path: string,
    bytes: Uint8Array,
    credentials: Credentials,
    { mode, append = false }: { mode?: number; append?: boolean } = {},
  ): void {
    this.change("open", path, () => {
      const file = this.#openToWrite(path, credentials, { mode });
      if (append) return this.#writeAt(file, file.inode.size, bytes, credentials);
      this.volume.replace(file.inode, bytes, modeAfterWrite(file.inode.mode, credentials));
      if (bytes.byteLength + file.inode.size > 0) this.volume.report("write", file.path, false);
    });
  }

  /** Writes into an existing file. What lies between its end and the offset becomes zeros. */
  writeRange(path: string, bytes: Uint8Array, credentials: Credentials, offset: number): void {
    this.change("write", path, () => {
      checkInteger(offset);
      this.#writeAt(this.#openToChange(path, credentials), offset, bytes, credentials);
    });
  }

  truncate(path: string, credentials: Credentials, length: number): void {
    this.change("truncate", path, () => {
      checkInteger(length);
      const { inode, path: resolved } = this.#openToChange(path, credentials);
      this.volume.resize(inode, length, modeAfterWrite(inode.mode, credentials));
      this.volume.report("write", resolved, false);
    });
  }

  /** As {@link MachineFiles.write}. Cancels a stream that it cannot write. @returns the number of bytes. */
  async write(
    path: string,
    body: ReadableStream<Uint8Array>,
    credentials: Credentials,
    options: { mode?: number; parents?: boolean } = {},
  ): Promise<number> {
    const content = new IncomingContent(this.volume);
    try {
      this.volume.rehearse(() => void this.#openToWrite(path, credentials, options));
      await content.readFrom(body, this.#options.slice);
      this.volume.transact(() => {
        const { inode, path: resolved } = this.#openToWrite(path, credentials, options);
        content.putInto(inode, modeAfterWrite(inode.mode, credentials));
        if (content.size + inode.size > 0) this.volume.report("write", resolved, false);
      });
      return content.size;
    } catch (error) {
      if (!body.locked) void body.cancel(error).catch(() => undefined);
      throw toFileError(error, "write", path);
    } finally {
      content.release();
      await this.reclaimer.finish();
    }
  }

  /** As {@link MachineFiles.writeSmall}. */
  writeSmall(
    path: string,
    bytes: Uint8Array,
    credentials: Credentials,
    { mode, modifiedAt }: { mode: number; modifiedAt: number },
  ): void {
    this.change("write", path, () => {
      const { inode, path: resolved } = this.#openToWrite(path, credentials, { parents: true });
      this.volume.replace(inode, bytes, mode);
      if (bytes.byteLength + inode.size > 0) this.volume.report("write", resolved, false);
      this.setTimes(path, credentials, { accessedAt: Date.now(), modifiedAt });
    });
  }

  async copyFile(source: string, destination: string, credentials: Credentials): Promise<void> {
    const { mode } = this.status(source, credentials);
    const { body } = this.read(source, credentials);
    await this.write(destination, body, credentials, { mode: mode & 0o777 });
  }

  #openToRead(path: string, credentials: Credentials): Inode {
    const { inode } = this.find(path, credentials, true);
    checkPermission(inode, credentials, READ);
    if (inode.type === "directory") throw new Refusal("EISDIR");
    return inode;
  }

  #openToChange(path: string, credentials: Credentials): OpenedFile {
    const opened = this.find(path, credentials, true);
    checkWritable(opened.inode, credentials);
    return opened;
  }

  #openToWrite(
    path: string,
    credentials: Credentials,
    { mode = FILE_MODE, parents = false }: { mode?: number; parents?: boolean },
  ): OpenedFile {
    if (parents) this.makeDirectories(parentPath(path), credentials);
    const place = this.walk(path, credentials, { followLast: true, isMakingFile: true });
    if (place.inode !== undefined) checkWritable(place.inode, credentials);
    const inode = place.inode ?? this.createAt(place, { type: "file", mode }, credentials);
    return { inode, path: place.path };
  }

  #writeAt({ inode, path }: OpenedFile, offset: number, bytes: Uint8Array, credentials: Credentials): void {
    // As write(2), writing nothing changes nothing, not even the times.
    if (bytes.byteLength === 0) return;
    this.volume.write(inode, offset, bytes, modeAfterWrite(inode.mode, credentials));
    this.volume.report("write", path, false);
  }

  #tell(changes: FileChange[]): void {
    for (const { onChange } of this.#listeners) {
      for (const change of changes) {
        try {
          onChange(change);
        } catch (error) {
          this.#options.onError("file_listener_failed", error);
        }
      }
    }
  }
}

function checkWritable(inode: Inode, credentials: Credentials): void {
  if (inode.type === "directory") throw new Refusal("EISDIR");
  checkPermission(inode, credentials, WRITE);
}
