import type { TimeSlice } from "../time-slice.ts";
import type { Credentials } from "../users.ts";
import type { WriteOptions } from "./file-system.ts";
import type { IncomingContent } from "./incoming-content.ts";
import type { Inode } from "./inodes.ts";
import type { NameOperations } from "./name-operations.ts";
import { streamContent } from "./outgoing-content.ts";
import { parentPath } from "./path.ts";
import type { PathWalk } from "./path-walk.ts";
import { modeAfterWrite, permits, READ, WRITE } from "./permissions.ts";
import { Refusal } from "./refusal.ts";
import type { Volume } from "./volume.ts";

const FILE_MODE = 0o666;
const DIRECTORY_MODE = 0o777;

/** More than this cannot be had in one piece. */
const LARGEST_PIECE = 2 ** 31 - 1;

/** How a file is made where there is none. */
interface MakeOptions {
  mode?: number;
  parents?: boolean;
}

interface OpenedFile {
  inode: Inode;
  path: string;
}

/** The operations on what files hold. */
export class ContentOperations {
  readonly #volume: Volume;
  readonly #paths: PathWalk;
  readonly #names: NameOperations;
  readonly #slice: TimeSlice;

  constructor(volume: Volume, paths: PathWalk, names: NameOperations, slice: TimeSlice) {
    this.#volume = volume;
    this.#slice = slice;
    this.#paths = paths;
    this.#names = names;
  }

  /** @throws Refusal EACCES, EISDIR, and what following the path does. */
  openToRead(path: string, credentials: Credentials): Inode {
    const { inode } = this.#paths.find(path, credentials, true);
    if (!permits(inode, credentials, READ)) throw new Refusal("EACCES");
    if (inode.type === "directory") throw new Refusal("EISDIR");
    return inode;
  }

  /** Opens what is there to be written. @throws Refusal EACCES, EISDIR, and what following the path does. */
  openToChange(path: string, credentials: Credentials): OpenedFile {
    const { inode, path: resolved } = this.#paths.find(path, credentials, true);
    requireWritableFile(inode, credentials);
    return { inode, path: resolved };
  }

  /** Opens a file to be written, and makes it, and with `parents` what is above it, where it is missing. */
  openToWrite(
    path: string,
    credentials: Credentials,
    { mode = FILE_MODE, parents = false }: MakeOptions,
  ): OpenedFile {
    if (parents) this.#names.makeDirectories(parentPath(path), credentials, DIRECTORY_MODE);
    const place = this.#paths.walk(path, credentials, { followLast: true, isMakingFile: true });
    if (place.inode === undefined) {
      const inode = this.#names.create(place, { type: "file", mode }, credentials);
      return { inode, path: place.path };
    }
    requireWritableFile(place.inode, credentials);
    return { inode: place.inode, path: place.path };
  }

  readAll(path: string, credentials: Credentials, limit = LARGEST_PIECE): Uint8Array {
    const { content, size } = this.openToRead(path, credentials);
    if (size > limit) throw new Refusal("EFBIG");
    return this.#volume.contents.read(content, 0, size);
  }

  readRange(path: string, credentials: Credentials, offset: number, length: number): Uint8Array {
    requireLength(offset);
    requireLength(length);
    const { content, size } = this.openToRead(path, credentials);
    return this.#volume.contents.read(content, offset, Math.max(0, Math.min(length, size - offset)));
  }

  read(path: string, credentials: Credentials): { size: number; body: ReadableStream<Uint8Array> } {
    const file = this.openToRead(path, credentials);
    return { size: file.size, body: streamContent(this.#volume, file, this.#slice) };
  }

  writeAll(
    path: string,
    bytes: Uint8Array,
    credentials: Credentials,
    { mode, append = false }: WriteOptions,
  ): void {
    const { inode, path: resolved } = this.openToWrite(path, credentials, { mode });
    if (append) {
      this.#writeAt({ inode, path: resolved }, inode.size, bytes, credentials);
      return;
    }
    this.#volume.replace(inode, bytes, modeAfterWrite(inode.mode, credentials));
    if (bytes.byteLength + inode.size > 0) this.#volume.tell("write", resolved, false);
  }

  writeRange(path: string, bytes: Uint8Array, credentials: Credentials, offset: number): void {
    requireLength(offset);
    this.#writeAt(this.openToChange(path, credentials), offset, bytes, credentials);
  }

  truncate(path: string, credentials: Credentials, length: number): void {
    requireLength(length);
    const file = this.openToChange(path, credentials);
    this.#volume.resize(file.inode, length, modeAfterWrite(file.inode.mode, credentials));
    this.#volume.tell("write", file.path, false);
  }

  /** Puts content that has come in the place of all that a file holds. */
  replace(path: string, content: IncomingContent, credentials: Credentials, options: MakeOptions): void {
    const { inode, path: resolved } = this.openToWrite(path, credentials, options);
    content.putInto(inode, modeAfterWrite(inode.mode, credentials));
    if (content.size + inode.size > 0) this.#volume.tell("write", resolved, false);
  }

  #writeAt({ inode, path }: OpenedFile, offset: number, bytes: Uint8Array, credentials: Credentials): void {
    // As write(2), to write nothing changes nothing, not even times.
    if (bytes.byteLength === 0) return;
    this.#volume.write(inode, offset, bytes, modeAfterWrite(inode.mode, credentials));
    this.#volume.tell("write", path, false);
  }
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
